import Synchronization

/// Where a thread of our own has to wait for what is asynchronous.
package enum WaitingThread {
    /// Runs `body` as a task and blocks this thread until it is done.
    ///
    /// The thread that waits does the work: nothing of `body` but what an actor on another thread does, or a call that
    /// blocks elsewhere, is handed to another thread. Not for Swift's cooperative threads, which must not be blocked.
    package static func wait<Value: Sendable>(for body: @escaping @Sendable () async -> Value) -> Value {
        let place = Place<Value>()
        ThreadExecutor.runHere("ledger-waited") {
            let value = await body()
            place.value.withLock { $0 = value }
        }
        guard let value = place.value.withLock({ $0 }) else {
            preconditionFailure("the executor is stopped by the end of the task, and by nothing else")
        }
        return value
    }
}

/// Where the task leaves its value.
private final class Place<Value: Sendable>: Sendable {
    let value = Mutex<Value?>(nil)
}
