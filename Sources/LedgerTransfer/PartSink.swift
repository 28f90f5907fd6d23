package import LedgerModel
package import LedgerSystem

/// Puts a body into a part file: written straight from where it arrived, hashed on the way, counted, held to its
/// limits.
package final class PartSink: BodySink {
    private let part: PartFile
    private let claim: Claim
    private let digest: RunningDigest
    private let live: LiveProgress
    private let limiters: [RateLimiter]
    private let clock: any LedgerClock
    private let wakeFollower: @Sendable () -> Void

    /// A sink for the bytes of one claim.
    /// - Parameters:
    ///   - limiters: what the bytes count against.
    ///   - wakeFollower: called when so much is written that hashing behind it is worth a turn.
    package init(
        _ part: PartFile, for claim: Claim, digest: RunningDigest, live: LiveProgress, limiters: [RateLimiter],
        clock: any LedgerClock, wakeFollower: @escaping @Sendable () -> Void
    ) {
        self.part = part
        self.claim = claim
        self.digest = digest
        self.live = live
        self.limiters = limiters
        self.clock = clock
        self.wakeFollower = wakeFollower
    }

    /// Writes, sums, hashes and counts the next bytes of the answer; see ``BodySink/write(_:)``.
    package func write(_ bytes: RawSpan) throws(Failure) -> Duration {
        let (offset, count) = claim.reserve(bytes.byteCount)
        let kept = bytes.extracting(first: count)
        if count > 0 {
            let prefix = try part.write(kept, at: offset)
            digest.absorb(kept, at: offset)
            live.update { $0.received += UInt64(count) }
            if digest.isBehind(prefix) { wakeFollower() }
        }
        guard count == bytes.byteCount else {
            // Of no consequence when others fetch the rest: the claim is full.
            throw Failure(.protocolViolation, "the origin sent more bytes than it said", isRetryable: true)
        }
        guard limiters.isLimiting else { return .zero }
        let now = clock.uptime()
        return limiters.reduce(.zero) { max($0, $1.take(UInt64(count), at: now)) }
    }

    /// How long the limits hold the next bytes back now.
    package func pause() -> Duration {
        limiters.pause(at: clock.uptime())
    }
}
