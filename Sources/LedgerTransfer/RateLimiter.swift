import Synchronization

/// A token bucket shared by all transfers under one limit; changeable while they run, from any thread.
package final class RateLimiter: Sendable {
    /// How long is paused for a limit before the next look at whether it has changed.
    package static let pauseMax = Duration.milliseconds(250)

    private let bucket: Mutex<TokenBucket>

    /// A limit in bytes a second, or none, that begins at `now` (uptime): before that nothing is saved up.
    package init(bytesPerSecondMax: UInt64? = nil, at now: Duration = .zero) {
        bucket = Mutex(TokenBucket(bytesPerSecondMax: bytesPerSecondMax, at: now))
    }

    /// The limit now.
    package var bytesPerSecondMax: UInt64? { bucket.withLock { $0.bytesPerSecondMax } }

    /// Changes the limit for what arrives from `now` (uptime) on.
    package func setRate(_ bytesPerSecondMax: UInt64?, at now: Duration) {
        bucket.withLock { $0.setRate(bytesPerSecondMax, at: now) }
    }

    /// How long the next bytes are to be held back at `now` (uptime), by the limit as it is now.
    package func pause(at now: Duration) -> Duration { take(0, at: now) }

    /// For how long bytes were held back up to `now` (uptime), all in all.
    package func held(at now: Duration) -> Duration { bucket.withLock { $0.held(at: now) } }

    /// Counts bytes that arrived at `now` (uptime) and returns how long to hold back the next ones.
    package func take(_ bytes: UInt64, at now: Duration) -> Duration {
        bucket.withLock { $0.take(bytes, at: now) }
    }
}

extension [RateLimiter] {
    /// Whether one of them is a limit now.
    var isLimiting: Bool { contains { $0.bytesPerSecondMax != nil } }

    /// How long the next bytes are to be held back at `now` (uptime), by the limits as they are now.
    package func pause(at now: Duration) -> Duration { reduce(.zero) { Swift.max($0, $1.pause(at: now)) } }
}
