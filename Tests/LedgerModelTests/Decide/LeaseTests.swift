import LedgerModel
import LedgerTestSupport
import Testing

/// A worker that was interrupted can say nothing any more.
struct LeaseTests {
    static let interruptions: [(String, [Event])] = [
        ("paused", [.paused]),
        ("paused and resumed", [.paused, .resumed]),
        ("cancelled", [.cancelled]),
        ("failed for good", [.failed(Fixture.lost, retryAt: nil)]),
        ("failed for now", [.failed(Fixture.lost, retryAt: Fixture.start)]),
        ("failed and retried", [.failed(Fixture.lost, retryAt: nil), .retried]),
        ("changed", [.changed(Fixture.order("b"))]),
        ("deleted", [.deleted(.keepFile)]),
        ("cancelled and restored", [.cancelled, .restored(undoing: 3)]),
        ("paused and restored", [.paused, .restored(undoing: 3)]),
        ("changed and restored", [.changed(Fixture.order("b")), .restored(undoing: 3)]),
        ("completed", [PhaseCase.verified[1], .completed(Fixture.identity())]),
    ]

    @Test(arguments: interruptions.indices) func `a lease passes with every interruption`(_ row: Int) throws {
        let (name, events) = Self.interruptions[row]
        let facts =
            [.enqueued(Fixture.order(), rank: Fixture.rank(1)), .about(1, PhaseCase.verified[0])]
            + events.map { Fact.about(1, $0) }
        var queue = Queue()
        for fact in facts { queue.apply(fact.recorded(after: queue.sequence)) }
        let stale = Lease(1, epoch: 0)
        #expect(
            decided(queue, .report(stale, [.progressed(ByteRangeSet(0..<1))])) == .failure(.stale(stale)), "\(name)")
        #expect(queue.plan(running: [stale], limits: Limits(), at: Fixture.now).stop == [stale], "\(name)")
    }

    @Test func `a move does not interrupt, nor does undoing it`() {
        Scenario(Queue.self)
            .given(
                .enqueued(Fixture.order("a"), rank: Fixture.rank(1)),
                .enqueued(Fixture.order("b"), rank: Fixture.rank(2)),
                .about(1, PhaseCase.verified[0])
            )
            .when(.move(1, .last)).recorded(.about(1, .moved(priority: 0, rank: Fixture.rank(3)))) {
                $0[1]?.rank = Fixture.rank(3)
            }
            .when(.report(Lease(1, epoch: 0), [.progressed(ByteRangeSet(0..<1))]))
            .recorded(.about(1, .progressed(ByteRangeSet(0..<1)))) { $0[1]?.durable = ByteRangeSet(0..<1) }
            .when(.undo(nil)).recorded(.about(1, .restored(undoing: 4))) { $0[1]?.rank = Fixture.rank(1) }
            .when(.report(Lease(1, epoch: 0), [.progressed(ByteRangeSet(0..<2))]))
            .recorded(.about(1, .progressed(ByteRangeSet(0..<2)))) { $0[1]?.durable = ByteRangeSet(0..<2) }
    }
}
