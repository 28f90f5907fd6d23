package import LedgerModel
package import LedgerSystem
import Synchronization
package import SystemPackage

/// The SHA-256 of a part file as it grows, and the sum a publisher stated when that is another one.
///
/// A small body is hashed where it arrives. A large one is followed on a blocking thread that reads back what was
/// written: from the page cache, in steps, so that no chunk is retained, no queue of bytes grows, the receiving thread
/// never waits for a hash, and taking up a part after a restart is the same code.
package final class RunningDigest: Sendable {
    /// Bytes hashed where they arrive; what lies beyond is followed.
    package static let inlineBytesMax: UInt64 = 1 << 20
    /// How much is read back at a time, in bytes.
    package static let blockBytes = 256 << 10
    /// How much one turn on a blocking thread hashes before others may have it, in bytes.
    package static let turnBytesMax: UInt64 = 32 << 20

    private let absorbs: Bool
    private let state: Mutex<State>

    private struct State {
        var hasher: FileHasher
        var position: UInt64 = 0
        var isFollowing: Bool
    }

    /// The sums of a whole file.
    package struct Sums: Hashable, Sendable {
        /// Recorded for every file.
        package let sha256: Digest
        /// By the publisher's algorithm.
        package let stated: Digest
        /// CRC-32C.
        package let crc32c: UInt32
    }

    /// A digest of nothing yet.
    /// - Parameters:
    ///   - stated: the algorithm of the expected sum.
    ///   - absorbs: whether bytes are taken where they arrive; not where pieces of them may turn out to be wrong.
    package init(stated: Digest.Algorithm?, absorbs: Bool = true) {
        self.absorbs = absorbs
        state = Mutex(State(hasher: FileHasher(stated: stated), isFollowing: false))
    }

    /// How many bytes from the start are hashed.
    package var position: UInt64 { state.withLock { $0.position } }

    /// Takes bytes that were just written at `offset`, when they are the next ones and the body is still small.
    package func absorb(_ bytes: RawSpan, at offset: UInt64) {
        guard absorbs else { return }
        state.withLock { state in
            guard !state.isFollowing, offset == state.position, offset < Self.inlineBytesMax else { return }
            state.hasher.update(bytes)
            state.position += UInt64(bytes.byteCount)
        }
    }

    /// Whether `written` bytes are so far ahead that following is worth a turn.
    package func isBehind(_ written: UInt64) -> Bool {
        let position = self.position
        return position + Self.inlineBytesMax <= written
    }

    /// Hashes what stands in `file` up to `end`, one turn at most; returns whether the end was reached. Blocks.
    ///
    /// Called by one follower at a time.
    /// - Throws: a ``Failure`` when the file can not be read, or is shorter than what was written to it.
    package func follow(_ file: any File, to end: UInt64) throws(Failure) -> Bool {
        var (hasher, position) = begin()
        defer { self.end(hasher, position) }
        let stop = min(end, position + Self.turnBytesMax)
        var whole = hasher
        try Self.read(position..<max(position, stop), of: file) { whole.update($0) }
        (hasher, position) = (whole, max(position, stop))
        return position >= end
    }

    /// Hashes the piece that stands in `range` of `file`, and says whether it is right; takes it into the sums of the
    /// whole when it is, and is the next. Blocks.
    ///
    /// Called by one follower at a time, where pieces are to be checked.
    /// - Throws: a ``Failure`` when the file can not be read, or is shorter than what was written to it.
    package func check(_ range: Range<UInt64>, is expected: Digest, in file: any File) throws(Failure) -> Bool {
        var (hasher, position) = begin()
        defer { end(hasher, position) }
        let isNext = range.lowerBound == position
        var (whole, piece) = (hasher, HashFunction(expected.algorithm))
        try Self.read(range, of: file) { block in
            piece.update(block)
            if isNext { whole.update(block) }
        }
        guard piece.digest == expected else { return false }
        if isNext { (hasher, position) = (whole, range.upperBound) }
        return true
    }

    private func begin() -> (hasher: FileHasher, position: UInt64) {
        state.withLock { state in
            state.isFollowing = true
            return (state.hasher, state.position)
        }
    }

    private func end(_ hasher: FileHasher, _ position: UInt64) {
        state.withLock { state in
            state.hasher = hasher
            state.position = position
            state.isFollowing = false
        }
    }

    static func read(
        _ range: Range<UInt64>, of file: any File, _ body: (RawSpan) -> Void
    ) throws(Failure) {
        let isWhole = try disk { () throws(FileError) in try file.visit(range, blockBytes: blockBytes, body) }
        guard isWhole else {
            throw Failure(.partLost, "the file '\(file.path)' was shortened while it was read", isRetryable: true)
        }
    }

    /// The SHA-256 of the first `length` bytes of a file. Blocks for as long as it takes to read them, and tells
    /// `progress` of them before and meanwhile.
    /// - Throws: a ``Failure`` `disk`, or `part-lost` when the file is shorter.
    package static func sha256(
        of path: FilePath, length: UInt64, in fileSystem: any FileSystem, _ progress: WorkProgress? = nil
    ) throws(Failure) -> Digest {
        guard let digest = try sha256(of: path, length: length, in: fileSystem, progress, unless: { false }) else {
            preconditionFailure("nothing stopped it")
        }
        return digest
    }

    /// The same, or nil once `isStopped`, which is asked before each ``turnBytesMax``.
    /// - Throws: a ``Failure`` `disk`, or `part-lost` when the file is shorter.
    package static func sha256(
        of path: FilePath, length: UInt64, in fileSystem: any FileSystem, _ progress: WorkProgress? = nil,
        unless isStopped: () -> Bool
    ) throws(Failure) -> Digest? {
        let file = try disk { () throws(FileError) in try fileSystem.open(path, .read) }
        defer { file.close() }
        var hash = HashFunction(.sha256)
        progress?.expect(length)
        for start in stride(from: 0, to: length, by: Int(turnBytesMax)) {
            if isStopped() { return nil }
            try read(start..<min(length, start + turnBytesMax), of: file) { block in
                hash.update(block)
                progress?.advance(UInt64(block.byteCount))
            }
        }
        return hash.digest
    }

    /// The sums of what was hashed.
    package func finish() -> Sums { state.withLock { $0.hasher.sums } }
}
