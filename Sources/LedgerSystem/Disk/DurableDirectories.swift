import Synchronization
package import SystemPackage

extension FileSystem {
    /// Makes a directory and what is missing above it, and makes each name on the way to it durable, up to the root of
    /// the file system it is on: also the names that were there, for who made them may not have synced them, or may
    /// have been killed before. Where a symbolic link leads there, the names are those of its target; the link itself
    /// is taken for durable.
    package func createDurableDirectory(_ directory: FilePath, permissions: UInt16) throws(FileError) {
        var missing = 0
        var path = directory
        while !path.isEmpty, try status(of: path) == nil {
            missing += 1
            path.removeLastComponent()
        }
        if missing > 0 { try createDirectory(directory, permissions: permissions) }
        path = try resolved(directory)
        // Itself first: without a journal a name may be durable before there is anything that it leads to.
        try synchronizeDirectory(path, wasMade: missing > 0)
        while path.lastComponent != nil {
            let parent = path.removingLastComponent()
            // A mount point needs no name to be found again.
            guard let device = try status(of: parent)?.device, try status(of: path)?.device == device else { return }
            try synchronizeDirectory(parent, wasMade: missing > 0)
            missing -= 1
            path = parent
        }
    }

    /// Syncs a directory, unless nothing was made there and we may not open it: whoever made a name in it before us
    /// was told the same.
    private func synchronizeDirectory(_ path: FilePath, wasMade: Bool) throws(FileError) {
        do throws(FileError) { try synchronizeDirectory(path) } catch {
            let isForeign = [.permissionDenied, .notPermitted, .readOnlyFileSystem].contains(error.errno)
            guard isForeign, !wasMade else { throw error }
        }
    }
}

/// The directories whose names this process has made durable: that is done once for each, not once for each file.
package final class DurableDirectories: Sendable {
    /// What tells a directory from another one that comes to stand in its place, unless that gets the same number.
    private struct Identity: Hashable {
        let device: UInt64
        let inode: UInt64
    }

    /// Beyond so many, all are forgotten and synced again when they are next used.
    private static let knownMax = 4096

    private let known = Mutex<[FilePath: Identity]>([:])

    /// Knows none yet.
    package init() {}

    /// Makes a directory durable as ``FileSystem/createDurableDirectory(_:permissions:)`` does, unless it is known to
    /// be. Blocks.
    package func ensure(
        _ directory: FilePath, permissions: UInt16, in fileSystem: any FileSystem
    ) throws(FileError) {
        let before = try identity(of: directory, fileSystem)
        if before != nil, known.withLock({ $0[directory] }) == before { return }
        try fileSystem.createDurableDirectory(directory, permissions: permissions)
        let identity = try identity(of: directory, fileSystem)
        known.withLock { known in
            if known.count >= Self.knownMax { known = [:] }
            known[directory] = identity
        }
    }

    private func identity(of directory: FilePath, _ fileSystem: any FileSystem) throws(FileError) -> Identity? {
        try fileSystem.status(of: directory).map { Identity(device: $0.device, inode: $0.inode) }
    }
}
