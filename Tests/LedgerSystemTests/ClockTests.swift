import LedgerModel
import LedgerSystem
import LedgerTestSupport
import Testing

/// The clock a test moves, and the real one.
@Suite struct ClockTests {
    @Test func `sleepers wake in the order of their deadlines, and only when it is time`() async throws {
        let clock = ManualClock(.epoch)
        let woken = Locked<[Int]>([])
        try await withThrowingTaskGroup(of: Void.self) { group in
            for seconds in [3, 1, 2] {
                group.addTask {
                    try await clock.sleep(until: .seconds(seconds))
                    woken.change { $0.append(seconds) }
                }
            }
            await clock.untilSleepers(3)
            clock.advance(by: .milliseconds(999))
            #expect(clock.sleeperCount == 3)
            for seconds in 1...3 {
                clock.advance(by: seconds == 1 ? .milliseconds(1) : .seconds(1))
                try await group.next()
                #expect(woken.value == Array(1...seconds))
            }
        }
        #expect(clock.now() == Timestamp(milliseconds: 3000))
        #expect(clock.uptime() == .seconds(3))
    }

    @Test func `a deadline that has passed does not wait`() async throws {
        let clock = ManualClock(.epoch)
        clock.advance(by: .seconds(5))
        try await clock.sleep(until: .seconds(5))
        try await clock.sleep(until: .zero)
    }

    @Test func `a cancelled sleep ends, before it has begun and within`() async {
        let clock = ManualClock(.epoch)
        let task = Task { try await clock.sleep(until: .seconds(1)) }
        await clock.untilSleepers(1)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(clock.sleeperCount == 0)
        let early = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await clock.sleep(until: .seconds(1))
        }
        await #expect(throws: CancellationError.self) { try await early.value }
    }

    @Test func `the wall clock can be set, and runs on from there`() {
        let clock = ManualClock(Timestamp(milliseconds: 1000))
        clock.advance(by: .microseconds(400))
        clock.advance(by: .microseconds(600))
        #expect(clock.now() == Timestamp(milliseconds: 1001))
        clock.setWall(.epoch)
        clock.advance(by: .seconds(1))
        #expect(clock.now() == Timestamp(milliseconds: 1000))
        #expect(clock.uptime() == .milliseconds(1001))
    }

    @Test func `the real clocks run, and a sleep reaches its deadline`() async throws {
        let clock = SystemClock()
        #expect(clock.now() > Timestamp(milliseconds: 1_700_000_000_000))
        let deadline = clock.uptime() + .milliseconds(5)
        try await clock.sleep(until: deadline)
        #expect(clock.uptime() >= deadline)
    }

    @Test func `a steady clock goes along forwards, and is never set back`() {
        let machine = ManualClock(Timestamp(milliseconds: 1_000_000))
        let clock = SteadyClock(machine)
        machine.advance(by: .seconds(1))
        #expect(clock.now() == Timestamp(milliseconds: 1_001_000))
        machine.setWall(Timestamp(milliseconds: 2_000_000))
        #expect(clock.now() == Timestamp(milliseconds: 2_000_000))

        machine.setWall(Timestamp(milliseconds: 1_997_000))
        #expect(clock.now() == Timestamp(milliseconds: 2_000_000))
        for _ in 1...1000 {
            machine.advance(by: .milliseconds(1))
            _ = clock.now()
        }
        #expect(clock.now() == Timestamp(milliseconds: 2_000_500), "at half its speed, however often it is looked at")
        machine.advance(by: .seconds(5))
        #expect(clock.now() == Timestamp(milliseconds: 2_003_000), "and in step again")
        #expect(clock.uptime() == machine.uptime())
    }
}
