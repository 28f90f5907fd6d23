import DequeModule
import LedgerAPI
import Synchronization

/// What was asked for under each `Idempotency-Key`: another request under the same key is refused, and not answered
/// with what the first one came to.
///
/// Whether a request is a repetition the ledger itself remembers, beyond this program's end; that a key is used twice
/// is noticed as long as the program runs, and after that the other request is one of its own.
final class UsedKeys: Sendable {
    /// How many keys are remembered; beyond it the oldest are forgotten.
    static let keysMax = 10_000

    private struct State {
        var contents: [[UInt8]: [UInt8]] = [:]
        var order: Deque<[UInt8]> = []
    }

    private let state = Mutex(State())

    /// No keys.
    init() {}

    /// Takes a name for a request.
    /// - Returns: whether it was free.
    /// - Throws: a ``Refusal`` 422 when it is another request's.
    func claim(_ name: [UInt8], for content: [UInt8]) throws(Refusal) -> Bool {
        let known = state.withLock { state -> [UInt8]? in
            if let known = state.contents[name] { return known }
            state.contents[name] = content
            state.order.append(name)
            if state.order.count > Self.keysMax, let oldest = state.order.popFirst() { state.contents[oldest] = nil }
            return nil
        }
        guard let known else { return true }
        guard known == content else {
            throw Refusal.unprocessable(
                "this Idempotency-Key was given with another request", cause: "a key names one request, body and all",
                next: "give a new key, or send the request as it was")
        }
        return false
    }

    /// Gives a name back: nothing was done under it.
    func release(_ name: [UInt8]) {
        state.withLock { state in
            state.contents[name] = nil
            if let index = state.order.lastIndex(of: name) { state.order.remove(at: index) }
        }
    }
}
