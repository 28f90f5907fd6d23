import LedgerModel
import LedgerTestSupport
import Testing

/// One download more than the queue may hold.
struct RoomTests {
    private static let three: [Fact] = [
        .enqueued(Fixture.order("a"), priority: 1, rank: Fixture.rank(1)),
        .enqueued(Fixture.order("b"), rank: Fixture.rank(2)), .enqueued(Fixture.order("c"), rank: Fixture.rank(3)),
    ]
    private static let order = Fixture.order("d")

    private func full(
        _ policy: QueuePolicy, running: Set<DownloadID> = [], _ more: Fact...
    ) -> Scenario {
        Scenario(Queue.self).given(Self.three + more)
            .under(Limits(queuedDownloadsMax: 3, queuePolicy: policy), running: running)
    }

    private func adds(_ priority: Int32 = 0) -> Command { .enqueue(Self.order, priority: priority, again: false) }

    private static func evicted(by id: DownloadID) -> Event {
        .failed(
            Failure(.evicted, "the queue is full at 3, and download \(id) took this one's place", isRetryable: false),
            retryAt: nil)
    }

    /// What the policy is, what runs, the newcomer's priority, and who goes; nil for nobody.
    static let rows: [(QueuePolicy, running: Set<DownloadID>, priority: Int32, evicted: DownloadID?)] = [
        (.refuse, [], 5, nil), (.evictOldest, [], 0, 2), (.evictNewest, [], 0, 3), (.evictOldest, [], 5, 2),
        (.evictOldest, [], -1, nil), (.evictNewest, [], -1, nil), (.evictOldest, [2], 0, 3),
        (.evictNewest, [3], 0, 2), (.evictOldest, [2, 3], 0, nil), (.evictOldest, [2, 3], 1, 1),
        (.evictNewest, [1, 2, 3], 9, nil),
    ]

    @Test(arguments: rows.indices) func `who goes`(_ index: Int) {
        let row = Self.rows[index]
        let outcome = full(row.0, running: row.running).when(adds(row.priority))
        guard let evicted = row.evicted else { return outcome.refused(.queueFull(max: 3)) }
        let event = Self.evicted(by: 4)
        outcome.recorded(
            .enqueued(Self.order, priority: row.priority, rank: Fixture.rank(4)), .about(evicted, event)
        ) {
            $0[4] = Download(
                id: 4, order: Self.order, phase: .queued, priority: row.priority, rank: Fixture.rank(4),
                addedAt: Fixture.now)
            if case .failed(let failure, _) = event { $0[evicted]?.failure = Shared(failure) }
            $0[evicted]?.phase = .failed
            $0[evicted]?.epoch = 1
        }
    }

    @Test func `what is getting its final name stays, and what is paused may go`() {
        let publishing = PhaseCase.verified.map { Fact.about(2, $0) }
        var scenario = Scenario(Queue.self).given(Self.three + publishing + [.about(3, .paused)])
        scenario = scenario.under(Limits(queuedDownloadsMax: 3, queuePolicy: .evictOldest))
        scenario.when(adds()).recorded(
            .enqueued(Self.order, rank: Fixture.rank(4)), .about(3, Self.evicted(by: 7))
        ) {
            $0[7] = Download(
                id: 7, order: Self.order, phase: .queued, priority: 0, rank: Fixture.rank(4), addedAt: Fixture.now)
            if case .failed(let failure, _) = Self.evicted(by: 7) { $0[3]?.failure = Shared(failure) }
            $0[3]?.phase = .failed
            $0[3]?.epoch = 2
        }
    }

    @Test func `what comes back into a full queue makes room for itself, or stays out`() {
        let failed = Fact.about(2, .failed(Fixture.lost, retryAt: nil))
        let fourth = Fact.enqueued(Self.order, rank: Fixture.rank(4))
        full(.refuse, failed, fourth).when(.retry(2)).refused(.queueFull(max: 3))
        full(.evictNewest, failed, fourth).when(.retry(2))
            .recorded(.about(2, .retried), .about(5, Self.evicted(by: 2))) {
                $0[2]?.phase = .queued
                $0[2]?.failure = nil
                $0[2]?.failuresInRow = 0
                $0[2]?.epoch = 2
                if case .failed(let failure, _) = Self.evicted(by: 2) { $0[5]?.failure = Shared(failure) }
                $0[5]?.phase = .failed
                $0[5]?.epoch = 1
            }
        full(.evictNewest, failed, fourth).when(.enqueue(Fixture.order("b"), priority: 0, again: false))
            .joined(2, .about(2, .retried), .about(5, Self.evicted(by: 2))) {
                $0[2]?.phase = .queued
                $0[2]?.failure = nil
                $0[2]?.failuresInRow = 0
                $0[2]?.epoch = 2
                if case .failed(let failure, _) = Self.evicted(by: 2) { $0[5]?.failure = Shared(failure) }
                $0[5]?.phase = .failed
                $0[5]?.epoch = 1
            }
    }

    @Test func `an eviction is no attempt`() {
        var state = LedgerState()
        for fact in Self.three + [.about(2, Self.evicted(by: 4))] {
            state.apply(fact.recorded(after: state.sequence))
        }
        #expect(state.statistics.total.failures == 0)
        #expect(state.queue[2]?.failuresTotal == 0 && state.queue[2]?.phase == .failed)
    }
}
