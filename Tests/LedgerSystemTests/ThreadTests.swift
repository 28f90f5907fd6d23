import LedgerSystem
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Tells one thread from another.
private func thread() -> UInt {
    #if canImport(Darwin)
        UInt(bitPattern: pthread_self())
    #else
        UInt(pthread_self())
    #endif
}

/// An actor on a thread of its own.
private actor Counter {
    nonisolated let executor: ThreadExecutor
    private(set) var seen: [Int] = []

    init(_ executor: ThreadExecutor) { self.executor = executor }

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    func add(_ number: Int) {
        executor.preconditionIsolated()
        seen.append(number)
    }

    nonisolated func isElsewhere() -> Bool { executor.isIsolatingCurrentContext() == false }
}

/// The executor and the pool.
@Suite struct ThreadTests {
    @Test func `an actor on it runs its jobs one at a time, each of them`() async {
        let counter = Counter(ThreadExecutor(name: "test"))
        await withTaskGroup { group in
            for number in 0..<500 { group.addTask { await counter.add(number) } }
        }
        #expect(await counter.seen.sorted() == Array(0..<500))
        #expect(counter.isElsewhere())
    }

    @Test func `jobs run in the order they came`() async {
        let counter = Counter(ThreadExecutor(name: "test"))
        for number in 0..<100 { await counter.add(number) }
        #expect(await counter.seen == Array(0..<100))
    }

    @Test func `after it was stopped it still runs what comes`() async {
        let counter = Counter(ThreadExecutor(name: "test"))
        await counter.add(1)
        counter.executor.stop()
        await counter.add(2)
        counter.executor.stop()
        await counter.add(3)
        #expect(await counter.seen == [1, 2, 3])
    }

    @Test func `a task that prefers the executor runs on its thread, and so does what it calls`() async {
        let counter = Counter(ThreadExecutor(name: "test"))
        let executor = counter.executor
        let places = await Task(executorPreference: executor) {
            let before = executor.isIsolatingCurrentContext()
            await counter.add(1)
            return [before, executor.isIsolatingCurrentContext()]
        }.value
        #expect(places == [true, true])
        #expect(await counter.seen == [1])
    }

    @Test func `work runs behind the jobs that wait`() async {
        let counter = Counter(ThreadExecutor(name: "test"))
        for number in 0..<10 {
            await withCheckedContinuation { continuation in
                counter.executor.run { continuation.resume() }
            }
            await counter.add(number)
        }
        #expect(await counter.seen == Array(0..<10))
    }

    @Test func `a thread that waits for a task runs it, with what it starts and waits for`() async {
        let threads = await BlockingPool(threads: 1).run {
            let own = thread()
            return WaitingThread.wait {
                let children = await withTaskGroup(of: UInt.self) { group in
                    for _ in 0..<3 { group.addTask { thread() } }
                    return await group.reduce(into: []) { $0.append($1) }
                }
                let counter = Counter(ThreadExecutor(name: "test"))
                await counter.add(1)
                return [own, thread()] + children
            }
        }
        #expect(Set(threads).count == 1)
        #expect(threads.count == 5)
    }

    @Test func `the executor goes when its actor goes`() async {
        weak var executor: ThreadExecutor?
        do {
            let counter = Counter(ThreadExecutor(name: "test"))
            executor = counter.executor
            await counter.add(1)
        }
        // The last job gives it up on its own thread, soon after it has answered.
        while executor != nil { await Task.yield() }
    }

    @Test func `the pool answers each caller, and throws what the body throws`() async throws {
        struct Refused: Error, Equatable { let number: Int }
        let pool = BlockingPool(threads: 2)
        let sum = await withTaskGroup(of: Int.self) { group in
            for number in 0..<200 { group.addTask { await pool.run { number } } }
            return await group.reduce(0, +)
        }
        #expect(sum == 199 * 100)
        await #expect(throws: Refused(number: 3)) {
            try await pool.run { () throws(Refused) -> Int in throw Refused(number: 3) }
        }
    }

    @Test func `no more bodies run at once than there are threads`() async {
        struct Gauge: Sendable { var now = 0, most = 0 }
        let pool = BlockingPool(threads: 3)
        let gauge = Locked(Gauge())
        await withTaskGroup { group in
            for _ in 0..<100 {
                group.addTask {
                    await pool.run {
                        gauge.change { gauge in
                            gauge.now += 1
                            gauge.most = max(gauge.most, gauge.now)
                        }
                        gauge.change { $0.now -= 1 }
                    }
                }
            }
        }
        #expect((1...3).contains(gauge.value.most))
    }
}
