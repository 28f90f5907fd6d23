import Synchronization

/// A flag that one task waits for and any may raise; raising it twice before it is seen is raising it once.
package final class Wakeup: Sendable {
    private struct State {
        var isRaised = false
        var waiting: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    /// A flag that is down.
    package init() {}

    /// Raises the flag and wakes who waits.
    package func raise() {
        let waiting = state.withLock { state in
            state.isRaised = true
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.resume()
    }

    /// Waits until the flag is up and takes it down. One task at a time, where the caller is.
    package func wait(isolation: isolated (any Actor)? = #isolation) async {
        await withCheckedContinuation { continuation in
            let isRaised = state.withLock { state in
                if !state.isRaised { state.waiting = continuation }
                return state.isRaised
            }
            if isRaised { continuation.resume() }
        }
        state.withLock { $0.isRaised = false }
    }

    /// Waits as ``wait()`` does, but raises the flag itself after `pause`, if there is one.
    package func wait(
        atMost pause: Duration?, _ clock: any LedgerClock, isolation: isolated (any Actor)? = #isolation
    ) async {
        guard let pause else { return await wait() }
        let timer = Task {
            do { try await clock.sleep(until: clock.uptime() + pause) } catch { return }
            raise()
        }
        await wait()
        timer.cancel()
    }
}
