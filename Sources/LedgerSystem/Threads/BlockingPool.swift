/// A few threads for calls that block (hashing, syncs, directory walks), so that they take none from Swift's shared
/// pool, which has one for each processor and needs them all.
///
/// The queue has no limit of its own: each caller waits for its answer, so it is as long as there are callers, and
/// those are bounded by the running downloads.
package final class BlockingPool: Sendable {
    private struct State: Sendable {
        var waiting = FirstInFirstOut<@Sendable () -> Void>()
        var isStopping = false
        var threadsRunning = 0
        var threadsIdle = 0
    }

    /// How many threads there are at most unless told otherwise.
    package static let threadsDefault = 4

    private let threadsMax: Int
    private let taker: WorkTaker?
    private let monitor = Monitor(State())

    /// A pool of up to `threads` threads, each started when it is first needed.
    package init(threads: Int = BlockingPool.threadsDefault) {
        precondition(threads > 0, "a pool without threads would never answer")
        threadsMax = threads
        taker = nil
    }

    /// A pool without threads of its own: `taker` makes the calls.
    package init(handingTo taker: @escaping WorkTaker) {
        threadsMax = 1
        self.taker = taker
    }

    deinit {
        monitor.change(wakingAll: true) { $0.isStopping = true }
    }

    /// Runs `body` on a thread of the pool and waits for it without blocking. A call that has begun is not cut short
    /// by cancellation.
    /// - Throws: what `body` throws.
    package func run<Answer: Sendable, Failure: Error>(
        _ body: @escaping @Sendable () throws(Failure) -> Answer
    ) async throws(Failure) -> Answer {
        let result: Result<Answer, Failure> = await withCheckedContinuation { continuation in
            enqueue { continuation.resume(returning: Result(catching: body)) }
        }
        return try result.get()
    }

    private func enqueue(_ work: @escaping @Sendable () -> Void) {
        if let taker { return taker(work) }
        let mustStart = monitor.change { state in
            state.waiting.append(work)
            guard state.threadsIdle < state.waiting.count, state.threadsRunning < threadsMax else { return false }
            state.threadsRunning += 1
            return true
        }
        if mustStart { startThread() }
    }

    /// A thread that can not be started is missed only when there is no other: then the work is done here, late rather
    /// than never.
    private func startThread() {
        let monitor = monitor
        do {
            try SystemThread.start("ledger-blocking") { Self.work(monitor) }
        } catch {
            let orphan = monitor.withLock { state in
                state.threadsRunning -= 1
                return state.threadsRunning == 0 ? state.waiting.popFirst() : nil
            }
            orphan?()
        }
    }

    private static func work(_ monitor: Monitor<State>) {
        var isIdle = false
        while let work = next(monitor, &isIdle) { work() }
    }

    private static func next(_ monitor: Monitor<State>, _ isIdle: inout Bool) -> (@Sendable () -> Void)? {
        monitor.wait { state -> (@Sendable () -> Void)?? in
            if let work = state.waiting.popFirst() {
                if isIdle { state.threadsIdle -= 1 }
                isIdle = false
                return .some(work)
            }
            if state.isStopping { return .some(nil) }
            if !isIdle { state.threadsIdle += 1 }
            isIdle = true
            return nil
        }
    }
}
