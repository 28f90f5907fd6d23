package import LedgerModel

/// Time as it comes in by the door: the real clocks, or the ones a test moves.
package protocol LedgerClock: Sendable {
    /// The wall clock, for people.
    func now() -> Timestamp

    /// Time since an arbitrary start that never goes back, for rates and waits.
    func uptime() -> Duration

    /// Waits until ``uptime()`` reaches `deadline`; throws `CancellationError` when the task is cancelled first.
    func sleep(until deadline: Duration) async throws
}
