import LedgerModel
import LedgerTestSupport
import Testing

/// What should run, by hand.
struct PlanTests {
    private func queue(_ facts: [Fact]) -> Queue {
        var queue = Queue()
        for fact in facts { queue.apply(fact.recorded(after: queue.sequence)) }
        return queue
    }

    private func enqueued(_ hosts: [String]) -> [Fact] {
        hosts.enumerated().map { index, host in
            .enqueued(Fixture.order(String(index), host: host), rank: Fixture.rank(Int64(index + 1)))
        }
    }

    private func starts(
        _ queue: Queue, _ running: Set<Lease> = [], _ total: Int = 4, _ perHost: Int = 4
    ) -> [DownloadID] {
        queue.plan(running: running, limits: Limits(runningMax: total, runningPerHostMax: perHost), at: Fixture.now)
            .start.map(\.id)
    }

    @Test func `nothing to do`() {
        #expect(Queue().plan(running: [], limits: Limits(), at: Fixture.now) == Plan())
    }

    @Test func `the first come first, up to the limit`() {
        let queue = queue(enqueued(["a", "b", "c", "d", "e"]))
        #expect(starts(queue) == [1, 2, 3, 4])
        #expect(starts(queue, [], 2) == [1, 2])
        #expect(starts(queue, [], 0) == [])
        #expect(starts(queue, [Lease(1, epoch: 0), Lease(3, epoch: 0)]) == [2, 4])
    }

    @Test func `nothing is started from a host to which there is no way, be it due or queued, and others are`() {
        let queue = queue(enqueued(["a", "a", "b", "a"]) + [.about(2, .failed(Fixture.lost, retryAt: Fixture.now))])
        func starts(_ lost: Set<String>) -> [DownloadID] {
            queue.plan(running: [], lostHosts: lost, limits: Limits(runningMax: 2), at: Fixture.now).start.map(\.id)
        }
        #expect(starts([]) == [1, 2] && starts(["a"]) == [3] && starts(["b"]) == [1, 2] && starts(["a", "b"]) == [])
    }

    @Test func `a full host does not hold up the others`() {
        let queue = queue(enqueued(["a", "a", "a", "b", "a", "b"]))
        #expect(starts(queue, [], 4, 1) == [1, 4])
        #expect(starts(queue, [], 4, 2) == [1, 2, 4, 6])
        #expect(starts(queue, [Lease(3, epoch: 0)], 4, 1) == [4])
    }

    @Test func `what has all its bytes takes no slot, and is stopped only by its lease`() {
        let queue = queue(enqueued(["a", "a", "a", "b"]))
        let (first, second) = (Lease(1, epoch: 0), Lease(2, epoch: 0))
        func plan(finishing: Set<Lease>) -> Plan {
            queue.plan(
                running: [first, second], finishing: finishing, limits: Limits(runningMax: 2, runningPerHostMax: 2),
                at: Fixture.now)
        }
        #expect(plan(finishing: []).start == [])
        #expect(plan(finishing: [second]).start == [Lease(3, epoch: 0)])
        #expect(plan(finishing: [first, second]).start == [Lease(3, epoch: 0), Lease(4, epoch: 0)])
        let passed: Set<Lease> = [Lease(1, epoch: 1)]
        #expect(
            queue.plan(running: passed, finishing: passed, limits: Limits(), at: Fixture.now).stop == Array(passed))
    }

    @Test func `priority goes before age, and a move before both`() {
        let facts = enqueued(["a", "b", "c"])
        #expect(starts(queue(facts + [.about(3, .moved(priority: 1, rank: Fixture.rank(4)))])) == [3, 1, 2])
        #expect(starts(queue(facts + [.about(3, .moved(priority: 0, rank: 1))])) == [3, 1, 2])
    }

    @Test func `what waits starts when it is due, in its place`() {
        let due = Fixture.now
        let later = Fixture.now.advanced(by: .milliseconds(1))
        let queue = queue(
            enqueued(["a", "b", "c"]) + [
                .about(1, .failed(Fixture.lost, retryAt: due)), .about(2, .failed(Fixture.lost, retryAt: later)),
            ])
        let plan = queue.plan(running: [], limits: Limits(), at: Fixture.now)
        #expect(plan.start == [Lease(1, epoch: 1), Lease(3, epoch: 0)])
        #expect(plan.wakeAt == later)
        let after = queue.plan(running: Set(plan.start), limits: Limits(), at: later)
        #expect(after.start == [Lease(2, epoch: 1)])
        #expect(after.wakeAt == nil)
    }

    @Test func `a worker whose lease has passed is stopped and its download started anew`() {
        let queue = queue(enqueued(["a", "b"]) + [.about(1, .paused), .about(1, .resumed), .about(2, .paused)])
        let plan = queue.plan(
            running: [Lease(1, epoch: 0), Lease(2, epoch: 0), Lease(9, epoch: 0)], limits: Limits(), at: Fixture.now)
        #expect(plan.stop == [Lease(1, epoch: 0), Lease(2, epoch: 0), Lease(9, epoch: 0)])
        #expect(plan.start == [Lease(1, epoch: 2)])
    }

    @Test func `a verified file is published whatever the limits`() {
        let queue = queue(enqueued(["a", "a"]) + PhaseCase.verified.map { .about(2, $0) })
        #expect(starts(queue, [], 0) == [2])
        #expect(starts(queue, [], 1, 1) == [2, 1])
        #expect(starts(queue, [Lease(2, epoch: 0)], 1, 1) == [])
    }
}
