import LedgerTestSupport
import Testing

@testable import LedgerSystem

/// Threads that sleep until something changes.
@Suite struct MonitorTests {
    @Test(arguments: [1, 2, 7]) func `a change wakes one that sleeps, until all are awake`(count: Int) throws {
        let (monitor, woken) = (Monitor((asked: 0, tickets: 0)), Monitor(0))
        let asleep = Monitor(0)
        for _ in 0..<count {
            try SystemThread.start("test") {
                var isFirst = true
                monitor.wait { state -> Void? in
                    // Under the lock that it lets go of by falling asleep.
                    if isFirst { asleep.change { $0 += 1 } }
                    isFirst = false
                    state.asked += 1
                    guard state.tickets > 0 else { return nil }
                    state.tickets -= 1
                    return ()
                }
                woken.change { $0 += 1 }
            }
        }
        asleep.wait { $0 == count ? () : nil }
        for number in 1...count {
            monitor.change { $0.tickets += 1 }
            woken.wait { $0 == number ? () : nil }
            #expect(monitor.withLock { $0.asked } == count + number, "one is woken, and no other")
        }
    }

    @Test func `a change that is for all wakes all`() throws {
        let (gate, passed) = (Monitor(false), Monitor(0))
        for _ in 0..<5 {
            try SystemThread.start("test") {
                gate.wait { $0 ? () : nil }
                passed.change { $0 += 1 }
            }
        }
        gate.change(wakingAll: true) { $0 = true }
        passed.wait { $0 == 5 ? () : nil }
    }

    @Test func `work beside the caller is handed over once`() throws {
        let gate = Monitor(false)
        let work = try BesideCaller {
            gate.wait { $0 ? () : nil }
            return 7
        }
        gate.change { $0 = true }
        #expect(work.take() == 7)
        #expect(work.take() == nil)
    }
}
