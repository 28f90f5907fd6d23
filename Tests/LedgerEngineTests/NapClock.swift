import LedgerModel
import LedgerSystem
import LedgerTestSupport
import Synchronization

/// A clock that remembers how long each sleeper meant to sleep.
final class NapClock: LedgerClock {
    private struct State {
        var naps: [Duration] = []
        var watchers: [(isMet: @Sendable ([Duration]) -> Bool, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let clock: ManualClock
    private let state = Mutex(State())

    init(_ clock: ManualClock) { self.clock = clock }

    /// What was meant to be slept so far, in order.
    var naps: [Duration] { state.withLock { $0.naps } }

    /// Waits until the naps meet a condition.
    func until(_ isMet: @escaping @Sendable ([Duration]) -> Bool) async {
        await withCheckedContinuation { continuation in
            let isNow = state.withLock { state in
                if isMet(state.naps) { return true }
                state.watchers.append((isMet, continuation))
                return false
            }
            if isNow { continuation.resume() }
        }
    }

    func now() -> Timestamp { clock.now() }

    func secondsFromUTC(at instant: Timestamp) -> Int { clock.secondsFromUTC(at: instant) }

    func uptime() -> Duration { clock.uptime() }

    func sleep(until deadline: Duration) async throws {
        let met = state.withLock { state in
            state.naps.append(max(.zero, deadline - clock.uptime()))
            let naps = state.naps
            let met = state.watchers.filter { $0.isMet(naps) }.map(\.continuation)
            state.watchers.removeAll { $0.isMet(naps) }
            return met
        }
        for continuation in met { continuation.resume() }
        try await clock.sleep(until: deadline)
    }
}
