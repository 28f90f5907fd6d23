#if os(Linux)
    /// The threads that Swift's tasks run on, in place of the runtime's own.
    ///
    /// Those are libdispatch's, which look once a second whether they are at work, for as long as the process lives: a
    /// daemon that waits for an event would never let the processor sleep. Jobs run in the order they came, whatever
    /// their priority; as many wait at most as there are tasks.
    package final class TaskThreads: TaskExecutor {
        private let pool: ThreadPool
        private let alarm = Alarm()

        /// How many threads there are at most where there are fewer processors: a task that writes to a terminal that
        /// takes nothing blocks its own, and a signal is to be heard all the same.
        package static let threadsMin = 4

        /// Up to `threads` threads, each started when it is first needed.
        package init(threads: Int) {
            pool = ThreadPool(name: "ledger-task", threads: threads, mayWorkHere: false)
        }

        package func enqueue(_ job: consuming ExecutorJob) { enqueue(UnownedJob(job)) }

        /// Runs a job once `delay` has passed, the sleep of the machine included.
        package func enqueue(_ job: consuming ExecutorJob, after delay: Duration) {
            let job = UnownedJob(job)
            alarm.set(for: SystemClock().uptime() + delay) { self.enqueue(job) }
        }

        package func enqueue(_ job: UnownedJob) {
            pool.enqueue { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        }
    }
#endif
