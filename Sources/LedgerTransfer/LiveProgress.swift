import Synchronization

/// What a bar shows of one running transfer: gauges in memory, never recorded. Written by the worker, read by anyone.
package final class LiveProgress: Sendable {
    private let gauges = Mutex(Gauges())

    /// The gauges at one instant.
    package struct Gauges: Hashable, Sendable {
        /// Bytes in the part file, durable or not, wherever in it.
        package var received: UInt64 = 0
        /// The whole length; nil while unknown.
        package var total: UInt64?
        /// Where this attempt took up the part; 0 when it started empty.
        package var resumedFrom: UInt64 = 0
        /// Bytes a second over the last few seconds; 0 when nothing moves, nil before it was measured.
        package var bytesPerSecond: Double?
        /// How many ranges are asked for or received beside each other; 0 between two requests.
        package var streams = 0
    }

    /// Gauges at zero.
    package init() {}

    /// The gauges now.
    package var now: Gauges { gauges.withLock { $0 } }

    func update(_ change: (inout Gauges) -> Void) { gauges.withLock { change(&$0) } }
}

/// A rate smoothed over a few seconds, fed once a second or so.
struct RateMeter {
    /// How many samples the average spans.
    static let samplesMax = 6

    private var samples: [(time: Duration, bytes: UInt64)] = []

    /// Adds a sample and returns the rate over those kept; nil while they span no time.
    @discardableResult
    mutating func add(_ bytes: UInt64, at now: Duration) -> Double? {
        if let last = samples.last, last.bytes > bytes { samples = [] }
        samples.append((now, bytes))
        if samples.count > Self.samplesMax { samples.removeFirst() }
        guard let first = samples.first, now > first.time else { return nil }
        return Double(bytes - first.bytes) / ((now - first.time) / .seconds(1))
    }
}
