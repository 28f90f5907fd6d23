import LedgerModel
import Synchronization

/// Commands on their way to the ledger's thread, in the order they came: what came while a sync ran is taken together.
final class Inbox: Sendable {
    /// What one caller wants, and waits for.
    struct Request: Sendable {
        let submissions: [Submission]
        let caller: CheckedContinuation<Result<[Outcome], LedgerError>, Never>
    }

    private struct State {
        var waiting: [Request] = []
        /// Whether someone is about to take what waits.
        var isAttended = false
    }

    private let state = Mutex(State())

    /// Adds a request.
    /// - Returns: whether nobody is about to take it: then the caller has the ledger's thread do that.
    func add(_ request: Request) -> Bool {
        state.withLock { state in
            state.waiting.append(request)
            defer { state.isAttended = true }
            return !state.isAttended
        }
    }

    /// Takes all that waits.
    func take() -> [Request] {
        state.withLock { state in
            var taken: [Request] = []
            swap(&taken, &state.waiting)
            return taken
        }
    }

    /// Whether nothing waits: then nobody looks until the next one is added.
    func rest() -> Bool {
        state.withLock { state in
            state.isAttended = !state.waiting.isEmpty
            return !state.isAttended
        }
    }
}
