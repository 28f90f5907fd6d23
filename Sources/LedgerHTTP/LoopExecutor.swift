import NIOCore

/// Runs the steps of tasks on an event loop (SE-0417): a worker that asks, judges and opens there, where its bytes
/// arrive, is handed from no thread to another.
///
/// The loop comes to its sockets when nothing is left to run: a task that waits here for bytes by yielding again and
/// again waits for ever.
final class LoopExecutor: TaskExecutor {
    private let loop: any EventLoop

    /// An executor that is this loop, which must not end before the tasks on it have.
    init(_ loop: any EventLoop) { self.loop = loop }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loop.execute { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
