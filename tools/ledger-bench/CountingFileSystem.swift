import LedgerSystem
import Synchronization
import SystemPackage

/// The real disk, which counts the syncs of files: what a commit costs is told by how many share one.
struct CountingFileSystem: FileSystem {
    private let base = RealFileSystem()
    private let counter = SyncCounter()

    /// How many there were.
    var syncs: Int { counter.count.load(ordering: .relaxed) }

    var failedSyncs: FailedSyncs { base.failedSyncs }

    func open(_ path: FilePath, _ mode: OpenMode) throws(FileError) -> any File {
        CountingFile(try base.open(path, mode), counter)
    }

    func status(of path: FilePath) throws(FileError) -> FileStatus? { try base.status(of: path) }

    func resolved(_ path: FilePath) throws(FileError) -> FilePath { try base.resolved(path) }

    func list(_ directory: FilePath) throws(FileError) -> [String] { try base.list(directory) }

    func createDirectory(_ path: FilePath, permissions: UInt16) throws(FileError) {
        try base.createDirectory(path, permissions: permissions)
    }

    func rename(_ source: FilePath, to target: FilePath, replacing: Bool) throws(FileError) {
        try base.rename(source, to: target, replacing: replacing)
    }

    func unlink(_ path: FilePath) throws(FileError) { try base.unlink(path) }

    func removeDirectory(_ path: FilePath) throws(FileError) { try base.removeDirectory(path) }

    func synchronizeDirectory(_ path: FilePath) throws(FileError) { try base.synchronizeDirectory(path) }

    func availableBytes(at path: FilePath) throws(FileError) -> UInt64 { try base.availableBytes(at: path) }

    func lock(_ path: FilePath) throws(FileError) -> (any FileLock)? { try base.lock(path) }
}

private final class SyncCounter: Sendable {
    let count = Atomic(0)
}

private final class CountingFile: File {
    private let base: any File
    private let counter: SyncCounter

    var path: FilePath { base.path }

    init(_ base: any File, _ counter: SyncCounter) {
        self.base = base
        self.counter = counter
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(FileError) -> Int {
        try base.read(into: buffer, at: offset)
    }

    func write(_ bytes: RawSpan, at offset: UInt64) throws(FileError) { try base.write(bytes, at: offset) }

    func beginWriteback(_ range: Range<UInt64>) throws(FileError) { try base.beginWriteback(range) }

    func synchronize() throws(FileError) {
        counter.count.add(1, ordering: .relaxed)
        try base.synchronize()
    }

    func allocate(_ range: Range<UInt64>, extending: Bool) throws(FileError) -> Bool {
        try base.allocate(range, extending: extending)
    }

    func truncate(to length: UInt64) throws(FileError) { try base.truncate(to: length) }

    func mayHaveHole(before end: UInt64) throws(FileError) -> Bool { try base.mayHaveHole(before: end) }

    func status() throws(FileError) -> FileStatus { try base.status() }

    func setModified(nanoseconds: Int64) throws(FileError) { try base.setModified(nanoseconds: nanoseconds) }

    func close() { base.close() }
}
