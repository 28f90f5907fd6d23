package import LedgerSystem
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// All of Swift's concurrency on one thread, one job at a time, in an order that a seed decides: the same seed gives
/// the same order of everything, twice.
///
/// Jobs that would go to Swift's shared pool are caught by the runtime's hook (`swift_task_enqueueGlobal_hook`), those
/// for the ledger's own threads come through ``taker`` and ``callTaker``. Time passes when nothing can run: then the
/// clock goes to the next instant that someone waits for. `Task.yield()` goes past the hook: wait on the clock instead.
/// Several may run at once, each on a thread of its own.
package final class SimulatedThreads: TaskExecutor {
    private enum Item: Sendable {
        case job(UnownedJob)
        case turn(@Sendable () -> Void)
        case call(@Sendable () -> Void)
    }

    private struct State: Sendable {
        var ready: [Item] = []
        var chance: SplitMix64
        var turns = 0
        /// Whether what runs is a call that blocks, during which others may run.
        var isInCall = false
    }

    /// How many others run at most while one call blocks: a task takes several until it has got from where it waited
    /// to what it does next.
    private static let othersMax = 24

    private let state: Mutex<State>
    private let clock: ManualClock

    private init(seed: UInt64, _ clock: ManualClock) {
        state = Mutex(State(chance: SplitMix64(seed: seed)))
        self.clock = clock
    }

    /// Runs `body` and all that it starts on this thread, until `body` is over and nothing else can run.
    /// - Returns: its value; nil when everyone waits and no instant will wake anyone.
    package static func run<Value: Sendable>(
        seed: UInt64, clock: ManualClock, _ body: @escaping @Sendable (SimulatedThreads) async -> Value
    ) -> Value? {
        Hook.install()
        let threads = SimulatedThreads(seed: seed, clock)
        Hook.current = threads
        defer { Hook.current = nil }
        let place = Place<Value>()
        Task {
            let value = await body(threads)
            place.value.withLock { $0 = value }
        }
        repeat {
            while let item = threads.next() { threads.run(item) }
        } while place.value.withLock({ $0 == nil }) && clock.advanceToNextSleeper()
        return place.value.withLock { $0 }
    }

    /// Takes what would run on the ledger's thread.
    package var taker: WorkTaker {
        { work in self.state.withLock { $0.ready.append(.turn(work)) } }
    }

    /// Takes what would run on a thread for calls that block.
    package var callTaker: WorkTaker {
        { work in self.state.withLock { $0.ready.append(.call(work)) } }
    }

    /// Lets a few others run in the middle of a call that blocks, as they would on other threads; the call may take
    /// until someone wakes. What the ledger's thread does is not cut in two: nothing else touches its state meanwhile.
    package func letOthersRun() {
        guard state.withLock({ $0.isInCall }) else { return }
        let count = state.withLock { Int.random(in: 0...Self.othersMax, using: &$0.chance) }
        for _ in 0..<count {
            guard let item = next() ?? (clock.advanceToNextSleeper() ? next() : nil) else { break }
            run(item)
        }
    }

    /// How many jobs have run.
    package var turns: Int { state.withLock { $0.turns } }

    package func enqueue(_ job: consuming ExecutorJob) { add(UnownedJob(job)) }

    fileprivate func add(_ job: UnownedJob) { state.withLock { $0.ready.append(.job(job)) } }

    private func run(_ item: Item) {
        let wasInCall = state.withLock { state in
            defer { if case .call = item { state.isInCall = true } else { state.isInCall = false } }
            return state.isInCall
        }
        switch item {
        case .job(let job): unsafe job.runSynchronously(on: asUnownedTaskExecutor())
        case .turn(let work), .call(let work): work()
        }
        state.withLock { $0.isInCall = wasInCall }
    }

    private func next() -> Item? {
        state.withLock { state in
            guard !state.ready.isEmpty else { return nil }
            state.turns += 1
            return state.ready.remove(at: Int.random(in: 0..<state.ready.count, using: &state.chance))
        }
    }
}

/// Where the task leaves its value.
private final class Place<Value: Sendable>: Sendable {
    let value = Mutex<Value?>(nil)
}

/// What the runtime calls with each job for its shared pool: those that a simulated thread makes stay there.
private enum Hook {
    typealias Original = @convention(thin) (UnownedJob) -> Void
    typealias Function = @convention(thin) (UnownedJob, Original) -> Void

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        precondition(pthread_key_create(&key, nil) == 0, "a process has room for a thread-local value")
        return key
    }()

    /// The simulation that this thread runs.
    static var current: SimulatedThreads? {
        get {
            pthread_getspecific(key).map { Unmanaged<SimulatedThreads>.fromOpaque($0).takeUnretainedValue() }
        }
        set {
            // Whoever sets it keeps it alive until it takes it away again.
            pthread_setspecific(key, newValue.map { UnsafeRawPointer(Unmanaged.passUnretained($0).toOpaque()) })
        }
    }

    private static let once: Void = {
        guard let symbol = dlsym(dlopen(nil, RTLD_NOW), "swift_task_enqueueGlobal_hook") else {
            preconditionFailure("this runtime has no hook for jobs: they can not be put in order")
        }
        symbol.assumingMemoryBound(to: Function?.self).pointee = { job, original in
            if let threads = Hook.current { threads.add(job) } else { original(job) }
        }
    }()

    static func install() { once }
}
