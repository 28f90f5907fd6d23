import LedgerSystem

/// A file that only takes room: given up when the disk is full, so that sealing, and a compaction, still can.
enum Ballast {
    /// Gives the room back; false when there was none to give.
    static func release(_ fileSystem: any FileSystem, _ home: LogHome) throws(FileError) -> Bool {
        guard try fileSystem.status(of: home.ballast) != nil else { return false }
        try fileSystem.unlink(home.ballast)
        try fileSystem.synchronizeDirectory(home.path)
        return true
    }

    /// Takes the room when there is plenty; false when there is not. Nothing is written and nothing synced: after a
    /// power cut the ballast may be gone, or hold nothing, and is made again.
    static func restore(
        _ fileSystem: any FileSystem, _ home: LogHome, _ configuration: LogConfiguration
    ) throws(FileError) -> Bool {
        guard configuration.ballastBytes > 0 else { return true }
        if let status = try fileSystem.status(of: home.ballast), status.length >= configuration.ballastBytes {
            return true
        }
        let available = try fileSystem.availableBytes(at: home.path)
        guard available >= configuration.ballastBytes + LogBounds.ballastSpareBytes else { return false }
        let file = try fileSystem.open(home.ballast, .createOrUpdate(permissions: LogHome.fileMode))
        defer { file.close() }
        try file.allocate(0..<configuration.ballastBytes, extending: true)
        return true
    }
}
