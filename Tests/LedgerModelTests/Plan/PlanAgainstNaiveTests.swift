import LedgerModel
import LedgerTestSupport
import Testing

/// The indexed plan equals the plan that looks at everything.
struct PlanAgainstNaiveTests {
    @Test(arguments: [UInt64(11), 12, 13]) func `random queues, leases, limits and instants`(_ seed: UInt64) {
        var walk = RandomWalk(seed: seed)
        var (starts, stops, wakes) = (0, 0, 0)
        for step in 0..<600 {
            walk.step()
            var limits = Limits(runningMax: walk.below(8), runningPerHostMax: walk.below(4))
            if walk.chance(5) { limits.window = DailyWindow(parsing: "00:01-00:04") }
            let (running, queue) = (walk.leases(), walk.state.queue)
            let plan = queue.plan(running: running, limits: limits, at: walk.now)
            let expected = naivePlan(queue, running: running, limits: limits, at: walk.now)
            #expect(plan == expected, "seed \(seed), step \(step)")
            starts += plan.start.count
            stops += plan.stop.count
            wakes += plan.wakeAt == nil ? 0 : 1
        }
        #expect(starts > 200 && stops > 50 && wakes > 50, "the walk met too little: \(starts) \(stops) \(wakes)")
    }
}
