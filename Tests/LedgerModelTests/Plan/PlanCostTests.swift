import LedgerTestSupport
import Testing

@testable import LedgerModel

/// What a plan looks at: a number that grows with what it starts and what runs, and never with the queue.
struct PlanCostTests {
    /// A queue of as many downloads for each host, one host after the other, all queued or all due again.
    private func queue(_ hosts: [(name: String, count: Int)], isDue: Bool = false) -> Queue {
        var downloads: [Download] = []
        for host in hosts {
            for _ in 0..<host.count {
                let number = downloads.count + 1
                var download = Download(
                    id: DownloadID(UInt64(number)), order: Fixture.order("\(number)", host: host.name), phase: .queued,
                    priority: 0, rank: Fixture.rank(Int64(number)), addedAt: Fixture.start)
                if isDue { download.phase = .waiting(until: Fixture.start.advanced(by: .milliseconds(Int64(number)))) }
                downloads.append(download)
            }
        }
        return Queue(
            QueueImage(
                sequence: SequenceNumber(UInt64(downloads.count)), downloads: DownloadTable(ascending: downloads),
                undoable: [],
                answers: [],
                rankMax: Fixture.rank(Int64(downloads.count)), rankMin: 0))
    }

    private func starts(_ queue: Queue, running: Set<Lease> = [], _ limits: Limits) -> (ids: [DownloadID], looks: Int) {
        let (plan, looks) = queue.planCounting(running: running, limits: limits, at: Fixture.now)
        return (plan.start.map(\.id), looks)
    }

    private let four = Limits(runningMax: 4, runningPerHostMax: 4)

    @Test func `a hundred thousand queued downloads cost no more looks than eight`() {
        let (few, many) = (starts(queue([("a", 8)]), four), starts(queue([("a", 100_000)]), four))
        #expect(many.ids == [1, 2, 3, 4])
        #expect(many.looks == few.looks)
        #expect(many.looks <= 3 * 4)
    }

    @Test func `many hosts cost no more looks than few`() {
        let queue = queue((0..<10_000).map { ("host\($0)", 1) })
        let (ids, looks) = starts(queue, four)
        #expect(ids == [1, 2, 3, 4])
        #expect(looks <= 4 * 4)
    }

    @Test func `a host at its limit is passed over in one look, whatever waits behind it`() {
        let queue = queue([("full", 50_000), ("free", 2)])
        let running: Set<Lease> = [Lease(1, epoch: 0), Lease(2, epoch: 0)]
        let (ids, looks) = starts(queue, running: running, Limits(runningMax: 4, runningPerHostMax: 2))
        #expect(ids == [50_001, 50_002])
        #expect(looks <= 4 * 4)
    }

    @Test func `no limit that lets nothing start costs a look`() {
        let queue = queue((0..<1000).map { ("host\($0)", 1) })
        for limits in [Limits(runningMax: 0, runningPerHostMax: 4), Limits(runningMax: 4, runningPerHostMax: 0)] {
            let (ids, looks) = starts(queue, limits)
            #expect(ids.isEmpty && looks == 0)
        }
    }

    @Test func `due downloads of a full host do not stand before those of another`() {
        let queue = queue([("full", 5000), ("free", 2)], isDue: true)
        let running: Set<Lease> = [Lease(1, epoch: 0)]
        let (ids, looks) = starts(queue, running: running, Limits(runningMax: 4, runningPerHostMax: 1))
        #expect(ids == [5001])
        #expect(looks <= 4 * 4)
    }

    @Test func `more due downloads than are gathered at a time fill up one host and go on with the next`() {
        let queue = queue([("a", 3000), ("b", 3000), ("c", 1)], isDue: true)
        let (ids, looks) = starts(queue, Limits(runningMax: 10, runningPerHostMax: 2))
        #expect(ids == [1, 2, 3001, 3002, 6001])
        #expect(looks <= 3 * (DueCursor.gatheredMax + 4))
    }

    @Test func `all that are due are started in the end`() {
        let count = 3000
        var queue = queue((0..<7).map { ("host\($0)", count / 7) }, isDue: true)
        var started: Set<DownloadID> = []
        while true {
            let plan = queue.plan(
                running: [], limits: Limits(runningMax: 500, runningPerHostMax: 500), at: Fixture.now)
            if plan.start.isEmpty { break }
            for lease in plan.start {
                started.insert(lease.id)
                queue.apply(Fact.about(lease.id, .cancelled).recorded(after: queue.sequence))
            }
        }
        #expect(started.count == count / 7 * 7)
    }
}
