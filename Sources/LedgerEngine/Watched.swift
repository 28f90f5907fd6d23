import Synchronization

/// A state behind a lock, and who waits for it to change: any number of tasks, woken in the order they came.
///
/// Who waits costs a continuation and no thread, and leaves when its task is cancelled.
package final class Watched<State: Sendable>: Sendable {
    private struct Shared {
        var state: State
        var waiting: [UInt64: CheckedContinuation<Void, Never>] = [:]
        var nextWaiter: UInt64 = 0
    }

    private let shared: Mutex<Shared>

    /// A state that nobody waits for yet.
    package init(_ state: State) { shared = Mutex(Shared(state: state)) }

    /// Looks at the state, or changes what nobody waits for. Holds the lock: keep it short.
    package func withLock<Value: Sendable>(_ body: (inout State) -> Value) -> Value {
        shared.withLock { body(&$0.state) }
    }

    /// Changes the state, and wakes everyone who waits.
    package func change(_ body: (inout State) -> Void) {
        let woken = shared.withLock { shared in
            body(&shared.state)
            defer { shared.waiting = [:] }
            return shared.waiting.sorted { $0.key < $1.key }
        }
        for (_, continuation) in woken { continuation.resume() }
    }

    /// Waits until a change, unless what is waited for is so already, or the task is cancelled. Where the caller is:
    /// nothing is handed to another thread and back for it.
    package func wait(
        isolation: isolated (any Actor)? = #isolation, unless isOver: @escaping @Sendable (State) -> Bool
    ) async {
        let waiter = shared.withLock { shared in
            shared.nextWaiter += 1
            return shared.nextWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let goesOn = shared.withLock { shared in
                    if isOver(shared.state) || Task.isCancelled { return true }
                    shared.waiting[waiter] = continuation
                    return false
                }
                if goesOn { continuation.resume() }
            }
        } onCancel: {
            shared.withLock { $0.waiting.removeValue(forKey: waiter) }?.resume()
        }
    }
}
