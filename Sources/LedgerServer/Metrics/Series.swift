import CoreMetrics
import Synchronization

/// A number that only grows.
final class CountingSeries: CounterHandler, Sendable {
    private let total = Atomic<Int64>(0)

    /// How far it is.
    var value: Int64 { total.load(ordering: .relaxed) }

    func increment(by amount: Int64) { total.wrappingAdd(amount, ordering: .relaxed) }

    func reset() { total.store(0, ordering: .relaxed) }
}

/// A number as it is now.
final class GaugeSeries: RecorderHandler, MeterHandler, Sendable {
    private let current = Mutex(0.0)

    /// The number.
    var value: Double { current.withLock { $0 } }

    func record(_ value: Int64) { record(Double(value)) }

    func record(_ value: Double) { current.withLock { $0 = value } }

    func set(_ value: Int64) { record(value) }

    func set(_ value: Double) { record(value) }

    func increment(by amount: Double) { current.withLock { $0 += amount } }

    func decrement(by amount: Double) { increment(by: -amount) }
}

/// How often a number fell between which bounds.
final class HistogramSeries: RecorderHandler, TimerHandler, Sendable {
    /// The bounds of what is counted: 1 to 4096, each twice the last.
    static let countBounds = (0...12).map { Double(1 << $0) }
    /// The bounds of what is timed, in seconds: from what memory takes to what a disk that fails takes.
    static let secondBounds = [
        0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
    ]

    /// What was seen.
    struct Figures: Sendable {
        /// The upper bounds, each included.
        let bounds: [Double]
        /// How many fell under each, and under none before it.
        var counts: [UInt64]
        /// How many there were.
        var count: UInt64 = 0
        /// Their sum.
        var sum = 0.0
    }

    private let state: Mutex<Figures>

    /// A histogram with these bounds.
    init(_ bounds: [Double]) {
        state = Mutex(Figures(bounds: bounds, counts: bounds.map { _ in 0 }))
    }

    /// What was seen so far.
    var figures: Figures { state.withLock { $0 } }

    func record(_ value: Int64) { record(Double(value)) }

    func record(_ value: Double) {
        state.withLock { figures in
            if let index = figures.bounds.firstIndex(where: { value <= $0 }) { figures.counts[index] += 1 }
            figures.count += 1
            figures.sum += value
        }
    }

    func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }
}
