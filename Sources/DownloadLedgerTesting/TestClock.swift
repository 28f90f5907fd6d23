public import FoundationEssentials
import LedgerModel
import LedgerTestSupport

/// A clock that stands still until a test moves it.
///
/// ```swift
/// world.clock.advance(by: .seconds(3600))
/// ```
public struct TestClock: Sendable {
    let manual = ManualClock(Timestamp(milliseconds: 1_767_225_600_000))

    init() {}

    /// The time of day.
    public var now: Date { Date(timeIntervalSince1970: Double(manual.now().milliseconds) / 1000) }

    /// Moves on, and wakes what waited for an instant until then.
    /// - Parameter duration: zero or more.
    public func advance(by duration: Duration) { manual.advance(by: duration) }

    /// Lets time pass while `body` runs, a step whenever something waits for it: an hour of retries takes a moment.
    public func passes<Value>(
        every step: Duration = .milliseconds(100), while body: () async throws -> Value
    ) async rethrows -> Value {
        try await manual.passes(every: step, while: body)
    }
}
