package import LedgerModel

/// When a failed attempt is made again: exponential backoff with full jitter, chance coming in by the door; or after
/// waits that were given.
package struct RetryPolicy: Hashable, Sendable {
    /// The most that the first retry waits: most passing faults pass at once.
    package var first: Duration
    /// The most that the second retry waits; each later one may wait `factor` times as long.
    package var base: Duration
    /// The most that any retry waits.
    package var cap: Duration
    /// How fast the bound grows.
    package var factor: Double
    /// The waits themselves, without jitter, one after the other, the last one from there on; nil for the curve.
    package var waits: [Duration]?
    /// How many times an attempt is made again before the download fails for good.
    package var retriesMax: UInt32

    /// How long a download waits for room on a full disk before it looks again, in seconds. Does not count as a retry.
    package static let diskFullSeconds = 30

    /// A curve; by default 0.25 s, then 1 s doubling up to 300 s, five retries.
    package init(
        first: Duration = .milliseconds(250), base: Duration = .seconds(1), cap: Duration = .seconds(300),
        factor: Double = 2, retriesMax: UInt32 = 5
    ) {
        self.first = first
        self.base = base
        self.cap = cap
        self.factor = factor
        self.retriesMax = retriesMax
    }

    /// These waits, one retry after each.
    package init(waits: [Duration]) {
        self.init(retriesMax: UInt32(clamping: waits.count))
        self.waits = waits
    }

    /// The wait after `failures` attempts in a row without progress (1 or more).
    /// - Parameter jitter: 0 up to but not including 1, drawn by the caller; the wait is that part of its bound.
    package func delay(afterFailure failures: UInt32, jitter: Double) -> Duration {
        precondition((0..<1).contains(jitter), "a jitter is a fraction of the bound")
        if let waits { return waits.isEmpty ? .zero : waits[min(Int(failures) - 1, waits.count - 1)] }
        guard failures > 1 else { return min(first, cap) * jitter }
        var (bound, doublings) = (base, failures - 2)
        while doublings > 0, bound < cap, factor > 1 {
            bound = bound * factor
            doublings -= 1
        }
        return min(bound, cap) * jitter
    }

    /// The instant to try again after `failure`, or nil when that would not help or the retries are used up.
    ///
    /// - Parameters:
    ///   - failuresBefore: attempts in a row without progress before this one, or ``LedgerModel/Origin/beginnings``.
    ///   - retriesMax: the order's own number, if it has one.
    package func retryAt(
        after failure: Failure, failuresBefore: UInt32, retriesMax own: UInt32?, now: Timestamp, jitter: Double
    ) -> Timestamp? {
        let retriesMax = own ?? retriesMax
        guard failure.isRetryable, retriesMax > 0 else { return nil }
        if failure.code == .diskFull { return now.advanced(by: .seconds(Self.diskFullSeconds)) }
        guard failuresBefore < retriesMax else { return nil }
        let delay = delay(afterFailure: failuresBefore + 1, jitter: jitter)
        guard let seconds = failure.retryAfterSeconds else { return now.advanced(by: delay) }
        // Those who were all told the same second do not all come back in the same millisecond.
        return now.advanced(by: .seconds(Int64(seconds)) + min(delay, .seconds(1)))
    }
}
