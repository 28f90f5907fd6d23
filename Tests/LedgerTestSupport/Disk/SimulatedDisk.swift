import LedgerModel
package import LedgerSystem
import Synchronization
package import SystemPackage

/// A disk in memory that loses what it may: a ``FileSystem`` with power cuts, faults and a limit of space.
///
/// What is written can be read at once, and is durable only after a sync: content by `synchronize()` on its file, names
/// by
/// `synchronizeDirectory(_:)` on their directory. A renaming within one directory is durable whole or not at all; one
/// into another directory may leave both names, never none. Links are not modelled. Copies cost little: they
/// share what neither has changed since.
package final class SimulatedDisk: FileSystem {
    private let state: Mutex<DiskState>
    package let failedSyncs = FailedSyncs()

    /// An empty disk that holds `bytesMax` bytes; nil for no limit.
    package init(bytesMax: UInt64? = nil) {
        // The bug that is to be found must be there before anything is done to a disk.
        Sweep.begin()
        var image = DiskImage()
        image.bytesMax = bytesMax
        state = Mutex(DiskState(image: image))
    }

    init(image: DiskImage) { state = Mutex(DiskState(image: image)) }

    package func open(_ path: FilePath, _ mode: OpenMode) throws(FileError) -> any File {
        let (inode, isWritable) = try change { state throws(FileError) in try state.open(path, mode) }
        return SimulatedFile(disk: self, path: path, inode: inode, isWritable: isWritable)
    }

    /// There are no links.
    package func resolved(_ path: FilePath) throws(FileError) -> FilePath { path.lexicallyNormalized() }

    package func status(of path: FilePath) throws(FileError) -> FileStatus? {
        try change { state throws(FileError) in
            try state.begin(.lstat, path)
            do throws(FileError) {
                return try state.image.find(path, .lstat).map { state.image.status($0) }
            } catch {
                if error.errno == .noSuchFileOrDirectory { return nil }
                throw error
            }
        }
    }

    package func list(_ directory: FilePath) throws(FileError) -> [String] {
        try change { state throws(FileError) in
            try state.begin(.readdir, directory)
            let inode = state.image.inodes[try state.image.require(directory, .open)]!
            guard inode.kind == .directory else { throw FileError("open", directory, .notDirectory) }
            return inode.names.keys.map(\.text).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        }
    }

    package func createDirectory(_ path: FilePath, permissions: UInt16) throws(FileError) {
        try change { state throws(FileError) in
            var above = FilePath(root: path.root, [])
            for component in path.lexicallyNormalized().components {
                above.append(component)
                try state.createDirectory(above, permissions)
            }
            let inode = try state.image.require(path, .mkdir)
            guard state.image.inodes[inode]!.kind == .directory else { throw FileError("mkdir", path, .fileExists) }
        }
    }

    package func rename(_ source: FilePath, to target: FilePath, replacing: Bool) throws(FileError) {
        try change { state throws(FileError) in
            try state.begin(.rename, source, changing: true)
            let replaced = replacing ? try state.image.find(target, .rename) : nil
            try state.image.rename(source, to: target, replacing: replacing)
            if let replaced { state.image.collect(replaced) }
        }
    }

    package func unlink(_ path: FilePath) throws(FileError) {
        try change { state throws(FileError) in
            try state.begin(.unlink, path, changing: true)
            try state.image.unlink(path)
        }
    }

    package func removeDirectory(_ path: FilePath) throws(FileError) {
        try change { state throws(FileError) in
            try state.begin(.rmdir, path, changing: true)
            try state.image.removeDirectory(path)
        }
    }

    package func synchronizeDirectory(_ path: FilePath) throws(FileError) {
        try change { state throws(FileError) in
            let fault = try state.count(.fsync, path, changing: true)
            let inode = try state.image.require(path, .open)
            guard state.image.inodes[inode]!.kind == .directory else { throw FileError("open", path, .notDirectory) }
            if let fault {
                state.image.loseBeside(inode)
                throw noted(FileError("fsync", path, fault.errno), of: inode, state)
            }
            state.image.synchronizeDirectory(inode)
        }
    }

    /// The error of a sync that failed, noted in ``failedSyncs``.
    func noted(_ error: FileError, of inode: InodeNumber, _ state: DiskState) -> FileError {
        failedSyncs.note(error, on: state.image.inodes[inode]!.device)
        return error
    }

    package func availableBytes(at path: FilePath) throws(FileError) -> UInt64 {
        try change { state throws(FileError) in
            try state.begin(.statvfs, path)
            _ = try state.image.require(path, .statvfs)
            return state.image.bytesFree
        }
    }

    package func lock(_ path: FilePath) throws(FileError) -> (any FileLock)? {
        let token = try change { state throws(FileError) in try state.lock(path) }
        return token.map { SimulatedLock(disk: self, token: $0, path: path) }
    }

    /// Works on the state, alone.
    func change<Answer: Sendable, Failure: Error>(
        _ body: (inout DiskState) throws(Failure) -> Answer
    ) throws(Failure) -> Answer {
        let result: Result<Answer, Failure> = state.withLock { state in
            do throws(Failure) { return .success(try body(&state)) } catch { return .failure(error) }
        }
        return try result.get()
    }
}
