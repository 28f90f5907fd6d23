#if os(Linux)
    import LedgerSystem
    @_spi(ExperimentalCustomExecutors) @_spi(ExperimentalScheduling) import _Concurrency

    /// What runs the program's tasks: ``LedgerSystem/TaskThreads`` in place of libdispatch's threads, and the main
    /// thread for the main actor.
    ///
    /// Swift 6.3 has the call, for libraries of its own, and its compiler does not make it yet, so the program does. It
    /// is for a program alone to make: apps that embed the library keep what they have.
    enum ProgramExecutors: ExecutorFactory {
        private static let main = ThreadExecutor.forCaller("ledger")
        private static let tasks = TaskThreads(threads: max(TaskThreads.threadsMin, CurrentProcess.processors))

        static var mainExecutor: any MainExecutor { main }
        static var defaultExecutor: any TaskExecutor { tasks }

        /// Runs `body` as a task, and what comes to the main actor on the calling thread, which must be the first. To
        /// be called before there is any task; never returns.
        static func run(_ body: @escaping @Sendable () async -> Never) -> Never {
            _createExecutors(factory: Self.self)
            Task { await body() }
            main.run()
            preconditionFailure("nobody stops the main thread")
        }
    }

    extension ThreadExecutor: MainExecutor {}

    extension TaskThreads: SchedulingExecutor {
        package func enqueue<C: Clock>(
            _ job: consuming ExecutorJob, after delay: C.Duration, tolerance: C.Duration?, clock: C
        ) {
            guard let delay = delay as? Duration else {
                preconditionFailure("the runtime waits by its own clocks, not by \(C.self)")
            }
            enqueue(job, after: delay)
        }
    }
#endif
