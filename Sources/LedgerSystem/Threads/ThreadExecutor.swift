/// An executor that is one thread of its own, so that an actor on it may block in `fdatasync(2)` without taking a
/// thread from Swift's shared pool. (`DispatchSerialQueue`, which could do the same, does not exist on Linux.)
///
/// Jobs run in the order they came. The thread starts with the first job and sleeps between jobs. Where others take the
/// work (``WorkTaker``), there is no thread: each turn they give runs the job that waited longest. A task that prefers
/// it runs on the same thread, and calls an actor on it as it calls a function: nothing is handed over.
package final class ThreadExecutor: SerialExecutor, TaskExecutor {
    private enum Entry: Sendable {
        /// With the executor, which it keeps alive until it has run.
        case job(UnownedJob, ThreadExecutor)
        case work(@Sendable () -> Void)

        func run() {
            switch self {
            case .job(let job, let executor):
                unsafe job.runSynchronously(
                    isolatedTo: executor.asUnownedSerialExecutor(), taskExecutor: executor.asUnownedTaskExecutor())
            case .work(let work): work()
            }
        }
    }

    private struct State: Sendable {
        var waiting: [Entry] = []
        var isStopping = false
        var isRunning = false
        /// The thread, while a job runs on it.
        var thread: UInt?
    }

    private let name: String
    private let taker: WorkTaker?
    private let monitor = Monitor(State())

    /// An executor whose thread bears `name` (15 bytes of it on Linux), or whose jobs run when `taker` says.
    package init(name: String, handingTo taker: WorkTaker? = nil) {
        self.name = name
        self.taker = taker
    }

    deinit { stop() }

    package func enqueue(_ job: consuming ExecutorJob) { enqueue(.job(UnownedJob(job), self)) }

    /// Runs `work` behind all that waits for the thread already.
    package func run(_ work: @escaping @Sendable () -> Void) { enqueue(.work(work)) }

    private func enqueue(_ entry: Entry) {
        if let taker {
            monitor.change { $0.waiting.append(entry) }
            return taker { self.takeTurn() }
        }
        let mustStart = monitor.change { state in
            state.waiting.append(entry)
            if state.isRunning { return false }
            state.isRunning = true
            return true
        }
        if mustStart { startThread() }
    }

    package func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        unsafe UnownedSerialExecutor(ordinary: self)
    }

    /// As what tasks prefer; it lives as long as they hold it.
    package func asUnownedTaskExecutor() -> UnownedTaskExecutor {
        unsafe UnownedTaskExecutor(ordinary: self)
    }

    /// Runs `body` as a task on the calling thread, with all that it starts and waits for, and returns once it is over.
    /// What is left on the executor then, and what still comes, runs on a thread of its own.
    static func runHere(_ name: String, _ body: @escaping @Sendable () async -> Void) {
        let executor = forCaller(name)
        Task(executorPreference: executor) {
            await body()
            executor.stop()
        }
        executor.run()
    }

    /// An executor without a thread until somebody lends it one by ``run()``.
    package static func forCaller(_ name: String) -> ThreadExecutor {
        let executor = ThreadExecutor(name: name)
        executor.monitor.withLock { $0.isRunning = true }
        return executor
    }

    /// Runs on the calling thread what comes, until it is stopped: see ``forCaller(_:)``.
    package func run() { Self.runJobs(monitor) }

    package func isIsolatingCurrentContext() -> Bool? { isCurrent }

    package func checkIsolated() {
        precondition(isCurrent, "this must run on the thread '\(name)'")
    }

    /// Ends the thread once the jobs queued so far have run. A job that comes later still runs, on a thread started for
    /// it, because a task whose job is dropped would hang for ever.
    package func stop() {
        monitor.change { $0.isStopping = true }
    }

    private var isCurrent: Bool {
        monitor.withLock { $0.thread } == SystemThread.current
    }

    /// Without a thread nothing the actor was asked would ever be answered, and no caller could be told.
    private func startThread() {
        let monitor = monitor
        do throws(FileError) {
            try SystemThread.start(name) { Self.runJobs(monitor) }
        } catch {
            SystemThread.end(forWantOf: name, error)
        }
    }

    /// Runs the job that waited longest, on this thread.
    private func takeTurn() {
        let entry = monitor.withLock { state in
            state.thread = SystemThread.current
            return state.waiting.isEmpty ? nil : state.waiting.removeFirst()
        }
        entry?.run()
        monitor.withLock { $0.thread = nil }
    }

    private static func runJobs(_ monitor: Monitor<State>) {
        while let batch = nextBatch(monitor) {
            for entry in batch { entry.run() }
        }
    }

    /// All that waits, nil when it is time to end. The identity of the thread is known only while it holds a batch:
    /// after its end the number may be another thread's.
    private static func nextBatch(_ monitor: Monitor<State>) -> [Entry]? {
        monitor.wait { state -> [Entry]?? in
            if !state.waiting.isEmpty {
                var batch: [Entry] = []
                swap(&batch, &state.waiting)
                state.thread = SystemThread.current
                return .some(batch)
            }
            state.thread = nil
            guard state.isStopping else { return nil }
            state.isRunning = false
            return .some(nil)
        }
    }
}
