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

    private let state: Mutex<State>

    private struct State {
        var hasher: FileHasher
        var position: UInt64 = 0
        var isFollowing = false
    }

    /// The sums of a whole file.
    package struct Sums: Hashable, Sendable {
        /// Recorded for every file.
        package let sha256: Digest
        /// By the publisher's algorithm.
        package let stated: Digest
    }

    /// A digest of nothing yet.
    /// - Parameter stated: the algorithm of the expected sum.
    package init(stated: Digest.Algorithm?) { state = Mutex(State(hasher: FileHasher(stated: stated))) }

    /// How many bytes from the start are hashed.
    package var position: UInt64 { state.withLock { $0.position } }

    /// Takes bytes that were just written at `offset`, when they are the next ones and the body is still small.
    package func absorb(_ bytes: RawSpan, at offset: UInt64) {
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
        var (hasher, position) = state.withLock { state in
            state.isFollowing = true
            return (state.hasher, state.position)
        }
        let stop = min(end, position + Self.turnBytesMax)
        while position < stop {
            let at = position
            let count = Int(min(UInt64(Self.blockBytes), stop - position))
            let block = try disk { () throws(FileError) in try file.bytes(at: at, count: count) }
            guard block.count == count else {
                throw Failure(
                    .partLost, "the file '\(file.path)' was shortened while it was read", isRetryable: true)
            }
            unsafe hasher.update(block.span.bytes)
            position += UInt64(count)
        }
        let (reached, result) = (position, hasher)
        state.withLock { state in
            state.hasher = result
            state.position = reached
            state.isFollowing = false
        }
        return reached >= end
    }

    /// The SHA-256 of the first `length` bytes of a file. Blocks for as long as it takes to read them.
    /// - Throws: a ``Failure`` `disk`, or `part-lost` when the file is shorter.
    package static func sha256(
        of path: FilePath, length: UInt64, in fileSystem: any FileSystem
    ) throws(Failure) -> Digest {
        let file = try disk { () throws(FileError) in try fileSystem.open(path, .read) }
        defer { file.close() }
        let digest = RunningDigest(stated: nil)
        while try !digest.follow(file, to: length) {}
        return digest.finish().sha256
    }

    /// The sums of what was hashed.
    package func finish() -> Sums { state.withLock { $0.hasher.sums } }
}
