import LedgerModel
import LedgerTestSupport
import Testing

/// Failures that do not count, for the place was busy with other downloads, or the disk was full.
struct ExcusedTests {
    private static let excused: Failure = {
        var failure = Failure(.status, "status 503", isRetryable: true, status: 503)
        failure.isExcused = true
        return failure
    }()

    private func failuresInRow(_ events: [Event]) -> UInt32? {
        var queue = Queue()
        let facts = [Fact.enqueued(Fixture.order("a"), rank: Fixture.rank(1))] + events.map { .about(1, $0) }
        for fact in facts { queue.apply(fact.recorded(after: queue.sequence)) }
        return queue[1]?.failuresInRow
    }

    @Test func `a failure behind those that do not count is the first of its row`() {
        let excused = Event.failed(Self.excused, retryAt: Fixture.now)
        let lost = Event.failed(Fixture.lost, retryAt: nil)
        // How long it is until it is asked again grows with them.
        #expect(failuresInRow([excused, excused, excused]) == 3)
        #expect(failuresInRow([excused, excused, excused, lost]) == 1)
        #expect(failuresInRow([excused, excused, lost, lost]) == 2)
        #expect(failuresInRow([lost, lost, excused]) == 3)
    }

    @Test func `bytes that come behind them begin a row`() {
        let first = Event.progressed(ByteRangeSet(0..<10))
        let resolved = Event.resolved(Fixture.origin(), generation: 1)
        #expect(failuresInRow([.failed(Self.excused, retryAt: Fixture.now), resolved, first]) == 0)
        #expect(failuresInRow([.failed(Fixture.lost, retryAt: nil), resolved, first]) == 1, "may be those of before")
    }
}
