/// A serial executor that is one thread of its own, so that an actor on it may block in `fdatasync(2)` without taking a
/// thread from Swift's shared pool. (`DispatchSerialQueue`, which could do the same, does not exist on Linux.)
///
/// Jobs run in the order they came. The thread starts with the first job and sleeps between jobs. Where others take the
/// work (``WorkTaker``), there is no thread: each turn they give runs the job that waited longest.
package final class ThreadExecutor: SerialExecutor {
    /// A job, with the executor it keeps alive until it has run.
    private struct Entry: Sendable {
        let job: UnownedJob
        let executor: ThreadExecutor
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

    package func enqueue(_ job: consuming ExecutorJob) {
        let entry = Entry(job: UnownedJob(job), executor: self)
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
        do {
            try SystemThread.start(name) { Self.runJobs(monitor) }
        } catch {
            preconditionFailure("the ledger's thread can not be started: \(error)")
        }
    }

    /// Runs the job that waited longest, on this thread.
    private func takeTurn() {
        let entry = monitor.withLock { state in
            state.thread = SystemThread.current
            return state.waiting.isEmpty ? nil : state.waiting.removeFirst()
        }
        if let entry { unsafe entry.job.runSynchronously(on: asUnownedSerialExecutor()) }
        monitor.withLock { $0.thread = nil }
    }

    private static func runJobs(_ monitor: Monitor<State>) {
        while let batch = nextBatch(monitor) {
            for entry in batch { unsafe entry.job.runSynchronously(on: entry.executor.asUnownedSerialExecutor()) }
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
