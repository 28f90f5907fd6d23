package import LedgerModel
import Synchronization

/// A clock whose wall time never goes back: whoever waits for an instant is not made to wait anew when someone sets the
/// clock of the machine.
///
/// When the wall clock is set back, this one runs at half its speed until the other has caught up: a wait takes twice
/// as long at most, and what is recorded comes close to what the machine shows. Set forwards, it goes along at once.
package final class SteadyClock: LedgerClock {
    private struct State {
        var shown: Timestamp
        var at: Duration
    }

    private let clock: any LedgerClock
    private let state: Mutex<State>

    /// Steadies a clock, from what it shows now.
    package init(_ clock: any LedgerClock) {
        self.clock = clock
        state = Mutex(State(shown: clock.now(), at: clock.uptime()))
    }

    /// The wall clock, or what was shown last and half of what has passed since.
    package func now() -> Timestamp {
        state.withLock { state in
            let (wall, uptime) = (clock.now(), clock.uptime())
            if wall >= state.shown {
                (state.shown, state.at) = (wall, uptime)
            } else {
                // In whole milliseconds, the rest kept for the next look.
                let half = Duration.milliseconds(Int64((uptime - state.at) / .milliseconds(2)))
                state.shown = state.shown.advanced(by: half)
                state.at += half + half
            }
            return state.shown
        }
    }

    package func secondsFromUTC(at instant: Timestamp) -> Int { clock.secondsFromUTC(at: instant) }

    package func uptime() -> Duration { clock.uptime() }

    package func sleep(until deadline: Duration) async throws { try await clock.sleep(until: deadline) }
}
