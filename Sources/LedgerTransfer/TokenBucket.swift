/// A rate limit: bytes are taken as they arrive, and the answer says how long to hold back the next ones.
///
/// Debt instead of refusal, since a chunk that arrived can not be given back. Time comes in by the door.
package struct TokenBucket: Hashable, Sendable {
    /// How much of a second's allowance may be saved up while nothing arrives.
    package static let burstSeconds = 0.25

    /// Bytes a second; nil for no limit.
    package private(set) var bytesPerSecondMax: UInt64?
    private var allowance: Double = 0
    private var asOf: Duration
    /// For how many seconds was held back, or is still to be, all in all.
    private var heldSeconds = 0.0

    /// A bucket in which nothing is saved up yet, at an instant of the uptime clock.
    package init(bytesPerSecondMax: UInt64?, at now: Duration) {
        self.bytesPerSecondMax = bytesPerSecondMax.map { max($0, 1) }
        asOf = now
    }

    /// Changes the limit for what is to come: what is owed is paid in the time it would have taken, or less when the
    /// limit is raised.
    package mutating func setRate(_ bytesPerSecondMax: UInt64?, at now: Duration) {
        refill(at: now)
        let before = self.bytesPerSecondMax
        self.bytesPerSecondMax = bytesPerSecondMax.map { max($0, 1) }
        guard let rate = self.bytesPerSecondMax, let before else {
            allowance = 0
            return
        }
        if allowance < 0 { allowance *= min(1, Double(rate) / Double(before)) }
        allowance = min(allowance, burst)
    }

    /// Takes `bytes` that arrived at `now`, and returns how long nothing more may arrive.
    package mutating func take(_ bytes: UInt64, at now: Duration) -> Duration {
        guard let rate = bytesPerSecondMax else { return .zero }
        refill(at: now)
        allowance -= Double(bytes)
        heldSeconds += min(Double(bytes), max(0, -allowance)) / Double(rate)
        return allowance >= 0 ? .zero : .nanoseconds(Int64(min(-allowance / Double(rate) * 1e9, 9e18)))
    }

    /// For how long bytes were held back up to `now`, all in all.
    package mutating func held(at now: Duration) -> Duration {
        guard let rate = bytesPerSecondMax else { return .seconds(heldSeconds) }
        refill(at: now)
        return .seconds(heldSeconds - max(0, -allowance) / Double(rate))
    }

    private var burst: Double { Double(bytesPerSecondMax ?? 0) * Self.burstSeconds }

    private mutating func refill(at now: Duration) {
        let elapsed = max(now - asOf, .zero)
        asOf = max(now, asOf)
        allowance = min(allowance + Double(bytesPerSecondMax ?? 0) * (elapsed / .seconds(1)), burst)
    }
}
