import LedgerSystem
import LedgerTestSupport
import Synchronization
import SystemPackage

/// A disk on which something happens just before a file is opened: what a reader meets beside a writer.
final class MeetingFileSystem: FileSystem {
    private let disk: SimulatedDisk
    private let meetings = Mutex<[(path: FilePath, body: @Sendable () -> Void)]>([])

    init(_ disk: SimulatedDisk) { self.disk = disk }

    var failedSyncs: FailedSyncs { disk.failedSyncs }

    /// Does `body` once, before `path` is opened next.
    func before(opening path: FilePath, _ body: @escaping @Sendable () -> Void) {
        meetings.withLock { $0.append((path, body)) }
    }

    func open(_ path: FilePath, _ mode: OpenMode) throws(FileError) -> any File {
        meet(path)
        return try disk.open(path, mode)
    }

    func status(of path: FilePath) throws(FileError) -> FileStatus? {
        meet(path)
        return try disk.status(of: path)
    }

    func resolved(_ path: FilePath) throws(FileError) -> FilePath { try disk.resolved(path) }

    private func meet(_ path: FilePath) {
        let body = meetings.withLock { meetings in
            meetings.firstIndex { $0.path == path }.map { meetings.remove(at: $0).body }
        }
        body?()
    }

    func list(_ directory: FilePath) throws(FileError) -> [String] { try disk.list(directory) }

    func createDirectory(_ path: FilePath, permissions: UInt16) throws(FileError) {
        try disk.createDirectory(path, permissions: permissions)
    }

    func rename(_ source: FilePath, to target: FilePath, replacing: Bool) throws(FileError) {
        try disk.rename(source, to: target, replacing: replacing)
    }

    func unlink(_ path: FilePath) throws(FileError) { try disk.unlink(path) }

    func removeDirectory(_ path: FilePath) throws(FileError) { try disk.removeDirectory(path) }

    func synchronizeDirectory(_ path: FilePath) throws(FileError) { try disk.synchronizeDirectory(path) }

    func availableBytes(at path: FilePath) throws(FileError) -> UInt64 { try disk.availableBytes(at: path) }

    func lock(_ path: FilePath) throws(FileError) -> (any FileLock)? { try disk.lock(path) }
}
