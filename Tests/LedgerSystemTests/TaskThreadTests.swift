#if os(Linux)
    import LedgerTestSupport
    import Testing

    @testable import LedgerSystem

    /// The threads of the program's tasks, and the alarm for those that sleep.
    @Suite struct TaskThreadTests {
        @Test func `tasks run on its threads, and on no more than it was given`() async {
            let threads = TaskThreads(threads: 2)
            let seen = await withTaskGroup(of: UInt.self) { group in
                for _ in 0..<200 { group.addTask(executorPreference: threads) { SystemThread.current } }
                return await group.reduce(into: Set<UInt>()) { $0.insert($1) }
            }
            #expect((1...2).contains(seen.count))
        }

        @Test func `what is due first is done first, whatever came first, and nothing too soon`() async {
            let (alarm, clock) = (Alarm(), SystemClock())
            let start = clock.uptime()
            let delays = [30, 10, 20, 10].map(Duration.milliseconds)
            let (rings, ring) = AsyncStream.makeStream(of: (Int, Duration).self)
            for (place, delay) in delays.enumerated() {
                alarm.set(for: start + delay) { ring.yield((place, clock.uptime())) }
            }
            var order: [Int] = []
            for await (place, at) in rings.prefix(delays.count) {
                order.append(place)
                #expect(at >= start + delays[place])
            }
            #expect(order == [1, 3, 2, 0])
        }

        @Test func `an instant that has passed is now`() async {
            let alarm = Alarm()
            for instant in [Duration.seconds(-1), .zero, .nanoseconds(1)] {
                await withCheckedContinuation { continuation in alarm.set(for: instant) { continuation.resume() } }
            }
        }
    }
#endif
