package import LedgerModel

/// Time as it comes in by the door: the real clocks, or the ones a test moves.
package protocol LedgerClock: Sendable {
    /// The wall clock, for people.
    func now() -> Timestamp

    /// How far the clocks on the wall are ahead of UTC at an instant, in seconds.
    func secondsFromUTC(at instant: Timestamp) -> Int

    /// Time since an arbitrary start that never goes back, for rates and waits.
    func uptime() -> Duration

    /// Waits until ``uptime()`` reaches `deadline`; throws `CancellationError` when the task is cancelled first.
    func sleep(until deadline: Duration) async throws
}

extension LedgerClock {
    /// The local time, as the model takes it.
    package var local: LocalTime { LocalTime(secondsFromUTC: secondsFromUTC) }
}
