/// Where a thread of our own has to wait for work on Swift's cooperative threads.
package enum WaitingThread {
    /// Runs `body` as a task and blocks this thread until it is done.
    ///
    /// Only for threads that this target started: on a cooperative thread it could wait for itself for ever.
    package static func wait(for body: @escaping @Sendable () async -> Void) {
        let done = Monitor(false)
        Task {
            await body()
            done.change { $0 = true }
        }
        _ = done.wait { $0 ? true : nil }
    }
}
