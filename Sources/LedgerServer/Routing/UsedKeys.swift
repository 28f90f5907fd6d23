import DequeModule
import LedgerAPI
import Synchronization

/// What was asked for under each `Idempotency-Key`: another request under the same key is refused, and not answered with
/// what the first one came to.
///
/// Whether a request is a repetition the ledger itself remembers, beyond this program's end; that it is another one is
/// noticed as long as the program runs.
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

    /// Refuses what is not what was asked for under this name.
    /// - Throws: a ``Refusal`` 422.
    func require(_ content: [UInt8], under name: [UInt8]) throws(Refusal) {
        guard let known = state.withLock({ $0.contents[name] }), known != content else { return }
        throw Refusal.unprocessable(
            "this Idempotency-Key was given with another request", cause: "a key names one request, body and all",
            next: "give a new key, or send the request as it was")
    }

    /// Remembers what was done under a name.
    func note(_ content: [UInt8], under name: [UInt8]) {
        state.withLock { state in
            guard state.contents.updateValue(content, forKey: name) == nil else { return }
            state.order.append(name)
            if state.order.count > Self.keysMax, let oldest = state.order.popFirst() { state.contents[oldest] = nil }
        }
    }
}
