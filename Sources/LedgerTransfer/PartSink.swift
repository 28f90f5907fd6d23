import LedgerModel
import LedgerSystem
import Synchronization

/// Puts a body into a part file: written straight from where it arrived, hashed on the way, counted, held to its
/// limits.
final class PartSink: BodySink {
    private let part: PartFile
    private let digest: RunningDigest
    private let live: LiveProgress
    private let limiters: [RateLimiter]
    private let clock: any LedgerClock
    private let wakeFollower: @Sendable () -> Void
    /// One past the last byte that belongs here; nil when only the body's end tells.
    private let end: UInt64?
    /// Only the transport's thread moves it.
    private let position: Atomic<UInt64>

    init(
        _ part: PartFile, from start: UInt64, end: UInt64?, digest: RunningDigest, live: LiveProgress,
        limiters: [RateLimiter], clock: any LedgerClock, wakeFollower: @escaping @Sendable () -> Void
    ) {
        self.part = part
        self.digest = digest
        self.live = live
        self.limiters = limiters
        self.clock = clock
        self.wakeFollower = wakeFollower
        self.end = end
        position = Atomic(start)
    }

    func write(_ bytes: RawSpan) throws(Failure) -> Duration {
        let offset = position.load(ordering: .relaxed)
        let room = end.map { $0 - offset } ?? .max
        let kept = UInt64(bytes.byteCount) <= room ? bytes : bytes.extracting(first: Int(room))
        if kept.byteCount > 0 {
            try part.write(kept, at: offset)
            digest.absorb(kept, at: offset)
        }
        let reached = offset + UInt64(kept.byteCount)
        position.store(reached, ordering: .relaxed)
        live.update { $0.received = reached }
        if digest.isBehind(reached) { wakeFollower() }
        guard kept.byteCount == bytes.byteCount else {
            throw Failure(.protocolViolation, "the origin sent more bytes than it said", isRetryable: true)
        }
        guard limiters.contains(where: { $0.bytesPerSecondMax != nil }) else { return .zero }
        let now = clock.uptime()
        return limiters.reduce(.zero) { max($0, $1.take(UInt64(kept.byteCount), at: now)) }
    }
}
