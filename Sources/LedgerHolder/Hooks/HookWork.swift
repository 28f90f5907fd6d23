import LedgerModel
import Synchronization

/// What the hooks of a ledger are at: how far each has come, and what is on its way to them.
final class HookWork: Sendable {
    private struct State {
        /// The last event that each hook has passed, by its name.
        var passed: [String: SequenceNumber] = [:]
        /// The hooks that did not take what they were told last, or can not be told: nobody waits for them.
        var failing: Set<String> = []
        /// Those of them that did not take an event, and were not told of it since.
        var behind: Set<String> = []
        /// What is being sent.
        var sendings: [UInt64: Task<HookFailure?, Never>] = [:]
        var sendingsBegun: UInt64 = 0
        var isEnded = false
        var isRestTold = false
    }

    private let state = Mutex(State())

    /// Notes that a hook has been told of all that concerns it up to an event.
    func notePassed(_ hook: String, _ sequence: SequenceNumber) {
        state.withLock { $0.passed[hook] = sequence }
    }

    /// Notes whether a hook did not take what it was told.
    func noteFailing(_ hook: String, _ isFailing: Bool) {
        state.withLock { state in
            if isFailing { state.failing.insert(hook) } else { state.failing.remove(hook) }
        }
    }

    /// Notes whether a hook took the last event that it was told.
    func noteTaken(_ hook: String, _ isTaken: Bool) {
        state.withLock { state in
            if isTaken { state.behind.remove(hook) } else { state.behind.insert(hook) }
        }
    }

    /// Whether a hook did not take an event, and was not told of it since.
    var isAnyBehind: Bool { state.withLock { !$0.behind.isEmpty } }

    /// Whether each of these hooks has passed this event, or fails.
    func isDone(_ hooks: [String], through last: SequenceNumber) -> Bool {
        state.withLock { state in
            hooks.allSatisfy { state.failing.contains($0) || state.passed[$0] ?? .zero >= last }
        }
    }

    /// Whether each hook was told once of what was left at the end of a run.
    var isRestTold: Bool { state.withLock { $0.isRestTold } }

    /// Notes that hooks are to be told of what is left, or were.
    func noteRest(isTold: Bool) { state.withLock { $0.isRestTold = isTold } }

    /// Sends something to its end, also when whoever waits for it is cancelled; only ``end()`` cuts it short.
    func send(_ body: @escaping @Sendable () async -> HookFailure?) async -> HookFailure? {
        let (number, sending) = state.withLock { state in
            let sending = Task { await body() }
            if state.isEnded { sending.cancel() }
            state.sendingsBegun += 1
            state.sendings[state.sendingsBegun] = sending
            return (state.sendingsBegun, sending)
        }
        let failure = await sending.value
        state.withLock { $0.sendings[number] = nil }
        return failure
    }

    /// Whether the process is to end soon.
    var isEnded: Bool { state.withLock { $0.isEnded } }

    /// Cuts short what is being sent, and what is sent from now on: the process is to end.
    func end() {
        let sendings = state.withLock { state in
            state.isEnded = true
            return state.sendings.values.map(\.self)
        }
        for sending in sendings { sending.cancel() }
    }
}
