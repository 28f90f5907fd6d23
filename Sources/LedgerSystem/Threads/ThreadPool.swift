/// A few threads that take work in the order it came, each started when it is first needed.
///
/// The queue has no limit of its own: see ``BlockingPool`` and ``TaskThreads`` for what bounds theirs.
final class ThreadPool: Sendable {
    private struct State: Sendable {
        var waiting = FirstInFirstOut<@Sendable () -> Void>()
        var isStopping = false
        var threadsRunning = 0
        var threadsIdle = 0
    }

    private let name: String
    private let threadsMax: Int
    private let mayWorkHere: Bool
    private let monitor = Monitor(State())

    /// A pool of up to `threads` threads that bear `name` (15 bytes of it on Linux).
    /// - Parameter mayWorkHere: whether, when not even one can be started, the work may be done by whoever brings it.
    init(name: String, threads: Int, mayWorkHere: Bool) {
        precondition(threads > 0, "a pool without threads would never answer")
        self.name = name
        threadsMax = threads
        self.mayWorkHere = mayWorkHere
    }

    deinit {
        monitor.change(wakingAll: true) { $0.isStopping = true }
    }

    /// Runs `work` on a thread of the pool, behind what waits for one already.
    func enqueue(_ work: @escaping @Sendable () -> Void) {
        let mustStart = monitor.change { state in
            state.waiting.append(work)
            guard state.threadsIdle < state.waiting.count, state.threadsRunning < threadsMax else { return false }
            state.threadsRunning += 1
            return true
        }
        if mustStart { startThread() }
    }

    /// A thread that can not be started is missed only when there is no other: then all that waits is done here, late
    /// rather than never.
    private func startThread() {
        let monitor = monitor
        do throws(FileError) {
            try SystemThread.start(name) { Self.work(monitor) }
        } catch {
            monitor.withLock { $0.threadsRunning -= 1 }
            while let orphan = monitor.withLock({ $0.threadsRunning == 0 ? $0.waiting.popFirst() : nil }) {
                guard mayWorkHere else { SystemThread.end(forWantOf: name, error) }
                orphan()
            }
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
