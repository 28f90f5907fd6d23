import Synchronization

/// A few threads for calls that block (hashing, syncs, directory walks), so that they take none from Swift's shared
/// pool, which has one for each processor and needs them all.
///
/// Each caller waits for its answer, so the queue is as long as there are callers, and those are bounded by the running
/// downloads.
package final class BlockingPool: Sendable {
    /// How many threads there are at most unless told otherwise.
    package static let threadsDefault = 4

    @usableFromInline let take: WorkTaker

    /// A pool of up to `threads` threads, each started when it is first needed.
    package init(threads: Int = BlockingPool.threadsDefault) {
        let pool = ThreadPool(name: "ledger-blocking", threads: threads, mayWorkHere: true)
        take = { pool.enqueue($0) }
    }

    /// A pool without threads of its own: `taker` makes the calls.
    package init(handingTo taker: @escaping WorkTaker) { take = taker }

    /// Runs `body` on a thread of the pool and waits for it without blocking. A call that has begun is not cut short
    /// by cancellation.
    ///
    /// Inlinable, so that each caller has a version for its own types: the one for all asks the runtime for four of
    /// them by name at each call, which is 13,000 instructions.
    /// - Throws: what `body` throws.
    @inlinable
    package func run<Answer: Sendable, Failure: Error>(
        _ body: @escaping @Sendable () throws(Failure) -> Answer
    ) async throws(Failure) -> Answer {
        let result: Result<Answer, Failure> = await withCheckedContinuation { continuation in
            take { continuation.resume(returning: Result(catching: body)) }
        }
        return try result.get()
    }

    /// Runs `body` so, and has it know whether nobody waits for it any longer: the task was cancelled.
    /// - Throws: what `body` throws.
    package func run<Answer: Sendable, Failure: Error>(
        stoppable body: @escaping @Sendable (_ isStopped: @escaping @Sendable () -> Bool) throws(Failure) -> Answer
    ) async throws(Failure) -> Answer {
        let stop = Stop()
        let result: Result<Answer, Failure> = await withTaskCancellationHandler {
            await run { Result { () throws(Failure) in try body { stop.isAsked.load(ordering: .relaxed) } } }
        } onCancel: {
            stop.isAsked.store(true, ordering: .relaxed)
        }
        return try result.get()
    }

    private final class Stop: Sendable {
        let isAsked = Atomic(false)
    }
}
