import LedgerModel
import LedgerSystem
package import SystemPackage

/// The steps of opening a log for writing, in their order: each may be cut short and is then done again.
struct Opening {
    let fileSystem: any FileSystem
    let home: LogHome
    let configuration: LogConfiguration
    let random: @Sendable () -> UInt64
    var report = RecoveryReport()

    /// - Parameter whenHeld: see ``WriteAheadLog/open(at:fileSystem:configuration:random:whenHeld:)``.
    mutating func run(whenHeld: () -> Void) throws(LogError) -> WriteAheadLog {
        let isThere = try disk("look for the ledger") { () throws(FileError) in
            try fileSystem.status(of: home.path) != nil
        }
        if !isThere, !configuration.createsWhenAbsent { throw .absent(home.path) }
        try refuseArchive()
        let lock = try prepareHome()
        let loaded: (manifest: Manifest, damaged: [String])
        do throws(LogError) {
            loaded = try Manifest.load(fileSystem, home)
        } catch {
            guard error.code == .absent, configuration.createsWhenAbsent else { throw error }
            loaded = (try create(), [])
        }
        whenHeld()
        return try recover(loaded.manifest, damaged: loaded.damaged, lock)
    }

    /// - Throws: ``LogError`` with `.absent` when an archive stands alone in the directory: nothing is made there.
    private func refuseArchive() throws(LogError) {
        guard try !Manifest.archivedSegments(in: home.path, fileSystem).isEmpty else { return }
        let hasManifest = try disk("look for the ledger") { () throws(FileError) in
            for path in home.manifests where try fileSystem.status(of: path) != nil { return true }
            return false
        }
        if hasManifest { return }
        throw .archive(home.path)
    }

    /// The directories and the lock.
    private func prepareHome() throws(LogError) -> HomeLock {
        try disk("make the ledger's home") { () throws(FileError) in
            try fileSystem.createDurableDirectory(home.path, permissions: LogHome.directoryMode)
        }
        let lock = try disk("open the ledger's lock for writing") { () throws(FileError) in
            try HomeLock.take(home, fileSystem)
        }
        guard let lock else {
            throw .held(home.path)
        }
        try disk("make the ledger's directories") { () throws(FileError) in
            try home.makeDirectories(fileSystem)
            // Of two heads one is always whole only while no more than one is on its way to the disk.
            for path in home.heads where try fileSystem.status(of: path) != nil {
                try fileSystem.synchronizeFile(path)
            }
        }
        return lock
    }

    /// The first segment and both heads, durable with their names before the manifest that makes them a ledger.
    private mutating func create() throws(LogError) -> Manifest {
        report.isNew = true
        let manifest = Manifest(identity: LedgerID(random(), random()))
        let head = Head(generation: 0, size: 0, root: MerkleTree.emptyRoot)
        try disk("make a ledger") { () throws(FileError) in
            let header = SegmentHeader(
                identity: manifest.identity, ordinal: 1, salt: SegmentHeader.salt(random()),
                first: SequenceNumber(1), previousSeal: nil)
            let writer = try SegmentWriter.create(fileSystem, home, header, configuration)
            writer.file.close()
            try head.store(fileSystem, home, manifest.identity)
            try Head(generation: 1, size: 0, root: head.root).store(fileSystem, home, manifest.identity)
            try fileSystem.synchronizeDirectory(home.path)
            try manifest.store(fileSystem, home)
            try fileSystem.synchronizeDirectory(home.path)
        }
        return manifest
    }
}

extension LogError {
    /// The lock of the ledger at `home` is taken.
    package static func held(_ home: FilePath) -> LogError {
        LogError(
            .locked, "another process holds the ledger at '\(home)'", file: "ledger.lock",
            next: "let that process do it, or stop it and try again")
    }

    /// An archive stands alone in a directory: it can be read, and nothing else.
    static func archive(_ directory: FilePath) -> LogError {
        LogError(
            .absent, "'\(directory)' is an archive, and no home of a ledger",
            next: "'ledger replay --home \(directory)' reads it and verifies it on the way; give the home with --home")
    }

    static func absent(_ home: FilePath) -> LogError {
        LogError(
            .absent, "there is no ledger at '\(home)'",
            next: "give its directory with --home, or start one with 'ledger add URL'")
    }
}
