import LedgerModel
import LedgerTestSupport
import Testing

/// What a worker reports, in every phase.
struct ReportTests {
    private static let path = "/data/file.iso"
    private static let range = ByteRangeSet(0..<10)
    private static let resolved = Report.resolved(Fixture.origin(), generation: 2)
    private static let verified = Report.verified(length: 1000, sha256: Fixture.digest(), path: path)
    private static let completed = Report.completed(Fixture.identity())
    private static let failed = Report.failed(Fixture.lost, retryAt: nil)
    private static let found = Report.found(Fixture.identity(), sha256: Fixture.digest(), path: path)

    /// The current lease of every phase: only queued, waiting and publishing downloads may be worked on.
    private static func rows(
        _ reports: [Report], queued: [Event]?, publishing: [Event]?, location: SourceLocation = #_sourceLocation
    ) -> [(PhaseCase, [Report], Result<Decision, Rejection>, SourceLocation)] {
        PhaseCase.allCases.map { phase in
            let lease = phase.queue[1]?.lease ?? Lease(1, epoch: 0)
            let events: [Event]?
            switch phase {
            case .queued, .waiting: events = queued
            case .publishing: events = publishing
            case .paused, .completed, .missing, .altered, .failed, .cancelled, .deleted:
                return (phase, reports, .failure(.stale(lease)), location)
            }
            let expected = events.map { Result<Decision, Rejection>.success(Decision($0.map { .init(1, $0) })) }
            return (phase, reports, expected ?? .failure(.outOfOrder(lease)), location)
        }
    }

    static let table = [
        rows([], queued: [], publishing: []),
        rows([resolved], queued: [.resolved(Fixture.origin(), generation: 2)], publishing: nil),
        rows([.resolved(Fixture.origin(), generation: 0)], queued: nil, publishing: nil),
        rows([.progressed(range)], queued: nil, publishing: nil),
        rows([verified], queued: nil, publishing: [.verified(length: 1000, sha256: Fixture.digest(), path: path)]),
        rows([completed], queued: nil, publishing: [.completed(Fixture.identity())]),
        rows(
            [failed], queued: [.failed(Fixture.lost, retryAt: nil)], publishing: [.failed(Fixture.lost, retryAt: nil)]),
        rows([found], queued: [.found(Fixture.identity(), sha256: Fixture.digest(), path: path)], publishing: nil),
        rows(
            [resolved, .progressed(range), .progressed(range)],
            queued: [.resolved(Fixture.origin(), generation: 2), .progressed(range)], publishing: nil),
        // Other bytes in the same place are news.
        rows(
            [resolved, .progressed(range, sums: [1]), .progressed(range, sums: [1]), .progressed(range, sums: [2])],
            queued: [
                .resolved(Fixture.origin(), generation: 2), .progressed(range, sums: [1]),
                .progressed(range, sums: [2]),
            ], publishing: nil),
        rows(
            [resolved, verified, completed],
            queued: [
                .resolved(Fixture.origin(), generation: 2),
                .verified(length: 1000, sha256: Fixture.digest(), path: path), .completed(Fixture.identity()),
            ], publishing: nil),
        rows([resolved, verified, resolved], queued: nil, publishing: nil),
        rows([resolved, failed, .progressed(range)], queued: nil, publishing: nil),
        rows([completed, completed], queued: nil, publishing: nil),
    ].flatMap { $0 }

    @Test func `reports fit their phase or nothing is recorded`() {
        for (phase, reports, expected, location) in Self.table {
            let queue = phase.queue
            let command = Command.report(queue[1]?.lease ?? Lease(1, epoch: 0), reports)
            #expect(decided(queue, command) == expected, "in phase \(phase)", sourceLocation: location)
        }
    }

    @Test(arguments: PhaseCase.allCases) func `every phase refuses another epoch`(_ phase: PhaseCase) throws {
        let lease = Lease(1, epoch: try #require(phase.queue[1]).epoch + 1)
        #expect(decided(phase.queue, .report(lease, [Self.failed])) == .failure(.stale(lease)))
    }

    @Test func `a part file that holds bytes is never given to another entity`() {
        let held = Scenario(Queue.self).given(
            .enqueued(Fixture.order(), rank: Fixture.rank(1)), .about(1, .resolved(Fixture.origin(), generation: 1)),
            .about(1, .progressed(ByteRangeSet(0..<10))))
        let other = Fixture.origin(tag: "\"b\"")
        held.when(.report(Lease(1, epoch: 0), [.resolved(other, generation: 1)])).refused(
            .outOfOrder(Lease(1, epoch: 0)))
        var again = Fixture.origin()
        again.beginnings = 1
        held.when(.report(Lease(1, epoch: 0), [.resolved(again, generation: 1)]))
            .recorded(.about(1, .resolved(again, generation: 1))) { $0[1]?.origin = Shared(again) }
        held.when(.report(Lease(1, epoch: 0), [.resolved(other, generation: 2)]))
            .recorded(.about(1, .resolved(other, generation: 2))) {
                $0[1]?.origin = Shared(other)
                $0[1]?.generation = 2
                $0[1]?.durable = ByteRangeSet()
            }
    }

    @Test func `progress that is on record already is no news`() {
        Scenario(Queue.self)
            .given(
                .enqueued(Fixture.order(), rank: Fixture.rank(1)),
                .about(1, .resolved(Fixture.origin(), generation: 1)),
                .about(1, .progressed(ByteRangeSet(0..<10)))
            )
            .when(.report(Lease(1, epoch: 0), [.progressed(ByteRangeSet(0..<10))])).recorded()
            .when(.report(Lease(1, epoch: 0), [.progressed(ByteRangeSet(0..<20), sums: [7])]))
            .recorded(.about(1, .progressed(ByteRangeSet(0..<20), sums: [7]))) {
                $0[1]?.durable = ByteRangeSet(0..<20)
                $0[1]?.sums = [7]
            }
            // A piece that turned out to be wrong is claimed no longer.
            .when(.report(Lease(1, epoch: 0), [.progressed(ByteRangeSet(5..<20))]))
            .recorded(.about(1, .progressed(ByteRangeSet(5..<20)))) {
                $0[1]?.durable = ByteRangeSet(5..<20)
                $0[1]?.sums = []
            }
    }

    @Test func `two verified files can not be about to take one path`() {
        Scenario(Queue.self)
            .given(
                .enqueued(Fixture.order("a"), rank: Fixture.rank(1)),
                .enqueued(Fixture.order("b"), rank: Fixture.rank(2)),
                .about(1, PhaseCase.verified[0]), .about(1, PhaseCase.verified[1]), .about(2, PhaseCase.verified[0])
            )
            .when(.report(Lease(2, epoch: 0), [Self.verified])).refused(.destinationTaken(path: Self.path, by: 1))
    }
}

/// What a command comes to.
func decided(_ queue: Queue, _ command: Command, at now: Timestamp = Fixture.now) -> Result<Decision, Rejection> {
    do throws(Rejection) {
        return .success(try queue.decide(command, at: now))
    } catch { return .failure(error) }
}
