package import LedgerModel
import LedgerSystem
import Synchronization

/// A clock that stands still until a test moves it. Wall time and uptime move together, unless one is set.
package final class ManualClock: LedgerClock {
    private struct Sleeper {
        var id: Int
        var deadline: Duration
        var continuation: CheckedContinuation<Void, any Error>
    }

    private struct Watcher {
        var sleepers: Int
        var continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        /// What the wall clock showed at an uptime; it has run evenly since.
        var wall: Timestamp
        var wallSetAt = Duration.zero
        var uptime = Duration.zero
        var secondsFromUTC = 0
        var nextID = 0
        var sleepers: [Sleeper] = []
        var cancelled: Set<Int> = []
        var watchers: [Watcher] = []
    }

    private let state: Mutex<State>

    /// A clock that shows `wall`, its uptime zero.
    package init(_ wall: Timestamp) { state = Mutex(State(wall: wall)) }

    package func now() -> Timestamp { state.withLock { $0.wall.advanced(by: $0.uptime - $0.wallSetAt) } }

    package func secondsFromUTC(at instant: Timestamp) -> Int { state.withLock { $0.secondsFromUTC } }

    package func uptime() -> Duration { state.withLock { $0.uptime } }

    /// How many tasks sleep.
    package var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    /// Moves on, and wakes those whose time has come, the earliest first; of equals the one that fell asleep first.
    package func advance(by duration: Duration) {
        precondition(duration >= .zero, "time does not run backwards: see setWall(_:)")
        let due = state.withLock { state in
            state.uptime += duration
            let uptime = state.uptime
            let due = state.sleepers.filter { $0.deadline <= uptime }
            state.sleepers.removeAll { $0.deadline <= uptime }
            return due.sorted { ($0.deadline, $0.id) < ($1.deadline, $1.id) }
        }
        for sleeper in due { sleeper.continuation.resume() }
    }

    /// Moves on to the next instant that someone sleeps until; whether there is one.
    package func advanceToNextSleeper() -> Bool {
        let pause = state.withLock { state in
            state.sleepers.map(\.deadline).min().map { max(.zero, $0 - state.uptime) }
        }
        guard let pause else { return false }
        advance(by: pause)
        return true
    }

    /// Sets the wall clock, forwards or back, as an administrator or NTP does; nobody wakes.
    package func setWall(_ wall: Timestamp) {
        state.withLock { state in
            state.wall = wall
            state.wallSetAt = state.uptime
        }
    }

    /// Moves the machine to another time zone, without summer time.
    package func setZone(secondsFromUTC: Int) { state.withLock { $0.secondsFromUTC = secondsFromUTC } }

    /// Waits until at least `count` tasks sleep, so that a test advances only after those it wants to wake have lain
    /// down.
    package func untilSleepers(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.sleepers.count >= count { return true }
                state.watchers.append(Watcher(sleepers: count, continuation: continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    /// Lets time pass while `body` runs, a step whenever someone sleeps.
    package func passes<Value>(
        every step: Duration = .seconds(1), while body: () async throws -> Value
    ) async rethrows -> Value {
        let time = Task {
            while !Task.isCancelled {
                await untilSleepers(1)
                advance(by: step)
                await Task.yield()
            }
        }
        defer { time.cancel() }
        return try await body()
    }

    package func sleep(until deadline: Duration) async throws {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                lieDown(Sleeper(id: id, deadline: deadline, continuation: continuation))
            }
        } onCancel: {
            wakeCancelled(id)
        }
    }
}

extension ManualClock {
    private enum Outcome { case asleep, due, cancelled }

    private func lieDown(_ sleeper: Sleeper) {
        let (outcome, watchers) = state.withLock { state -> (Outcome, [Watcher]) in
            if state.cancelled.remove(sleeper.id) != nil { return (.cancelled, []) }
            if sleeper.deadline <= state.uptime { return (.due, []) }
            state.sleepers.append(sleeper)
            let count = state.sleepers.count
            let ready = state.watchers.filter { $0.sleepers <= count }
            state.watchers.removeAll { $0.sleepers <= count }
            return (.asleep, ready)
        }
        switch outcome {
        case .asleep: break
        case .due: sleeper.continuation.resume()
        case .cancelled: sleeper.continuation.resume(throwing: CancellationError())
        }
        for watcher in watchers { watcher.continuation.resume() }
    }

    /// A task may be cancelled before its sleep has begun: then the sleep learns of it when it does.
    private func wakeCancelled(_ id: Int) {
        let sleeper = state.withLock { state -> Sleeper? in
            guard let index = state.sleepers.firstIndex(where: { $0.id == id }) else {
                state.cancelled.insert(id)
                return nil
            }
            return state.sleepers.remove(at: index)
        }
        sleeper?.continuation.resume(throwing: CancellationError())
    }
}
