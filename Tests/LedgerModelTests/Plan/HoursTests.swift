import LedgerModel
import LedgerTestSupport
import Testing

/// Hours of the day: when they open and close, by the clock on the wall.
struct HoursTests {
    /// Berlin: UTC+1, and UTC+2 from 29 March to 25 October 2026, each time from 01:00 UTC on.
    private static let berlin = LocalTime { instant in
        instant >= at("2026-03-29T01:00:00Z") && instant < at("2026-10-25T01:00:00Z") ? 7200 : 3600
    }

    private static func at(_ text: String) -> Timestamp {
        guard let instant = Timestamp(rfc3339: text) else { preconditionFailure("'\(text)' is no time") }
        return instant
    }

    /// Hours, an instant, and when they are open next, both in UTC.
    static let openings: [(window: String, now: String, opening: String)] = [
        ("22:00-06:00", "2026-01-10T12:00:00Z", "2026-01-10T21:00:00Z"),
        ("22:00-06:00", "2026-01-10T20:59:59Z", "2026-01-10T21:00:00Z"),
        ("22:00-06:00", "2026-01-10T21:00:00Z", "2026-01-10T21:00:00Z"),
        ("22:00-06:00", "2026-01-10T23:30:10.5Z", "2026-01-10T23:30:10.5Z"),
        ("22:00-06:00", "2026-01-11T04:59:59.999Z", "2026-01-11T04:59:59.999Z"),
        ("22:00-06:00", "2026-01-11T05:00:00Z", "2026-01-11T21:00:00Z"),
        ("09:30-17:00", "2026-07-01T15:00:00Z", "2026-07-02T07:30:00Z"),
        ("09:30-17:00", "2026-07-01T07:29:30Z", "2026-07-01T07:30:00Z"),
        ("00:00-00:01", "2026-07-01T22:01:00Z", "2026-07-02T22:00:00Z"),
        // The night in which 02:00 becomes 03:00: half of the hours are left, or none that day.
        ("02:30-05:00", "2026-03-28T20:00:00Z", "2026-03-29T01:00:00Z"),
        ("02:15-02:45", "2026-03-28T20:00:00Z", "2026-03-30T00:15:00Z"),
        ("04:00-05:00", "2026-03-28T20:00:00Z", "2026-03-29T02:00:00Z"),
        // The night in which 03:00 becomes 02:00: they open twice, or an hour later than they would have.
        ("04:00-05:00", "2026-10-24T20:00:00Z", "2026-10-25T03:00:00Z"),
        ("02:30-02:45", "2026-10-24T20:00:00Z", "2026-10-25T00:30:00Z"),
        ("02:30-02:45", "2026-10-25T00:50:00Z", "2026-10-25T01:30:00Z"),
    ]

    @Test(arguments: openings) func `when hours are open next`(_ row: (window: String, now: String, opening: String))
        throws
    {
        let window = try #require(DailyWindow(parsing: row.window))
        let opening = window.opening(from: Self.at(row.now), Self.berlin)
        #expect(opening == Self.at(row.opening))
        #expect(window.isOpen(at: opening, Self.berlin))
    }

    /// Hours, an instant, and when they are not open next.
    static let closings: [(window: String, now: String, closing: String)] = [
        ("22:00-06:00", "2026-01-10T22:00:00Z", "2026-01-11T05:00:00Z"),
        ("22:00-06:00", "2026-01-11T05:00:00Z", "2026-01-11T05:00:00Z"),
        ("22:00-06:00", "2026-03-28T22:00:00Z", "2026-03-29T04:00:00Z"),
        ("22:00-06:00", "2026-10-24T22:00:00Z", "2026-10-25T05:00:00Z"),
        ("02:30-02:45", "2026-10-25T00:40:00Z", "2026-10-25T00:45:00Z"),
        ("01:30-02:30", "2026-03-29T00:59:00Z", "2026-03-29T01:00:00Z"),
    ]

    @Test(arguments: closings) func `when hours are over next`(_ row: (window: String, now: String, closing: String))
        throws
    {
        let window = try #require(DailyWindow(parsing: row.window))
        #expect(window.closing(from: Self.at(row.now), Self.berlin) == Self.at(row.closing))
    }

    @Test func `a zone that leaves a whole day out is waited through`() throws {
        // Samoa went from 29 to 31 December 2011.
        let samoa = LocalTime { $0 < Self.at("2011-12-30T10:00:00Z") ? -36_000 : 50_400 }
        let window = try #require(DailyWindow(parsing: "12:00-13:00"))
        #expect(window.opening(from: Self.at("2011-12-30T01:00:00Z"), samoa) == Self.at("2011-12-30T22:00:00Z"))
    }
}

/// What a plan does with hours.
struct HoursPlanTests {
    private static let night = DailyWindow(parsing: "22:00-06:00")
    private static let evening = Timestamp(rfc3339: "2026-01-02T21:00:00Z") ?? .epoch
    private static let midnight = Timestamp(rfc3339: "2026-01-03T00:00:00Z") ?? .epoch

    private func queue(_ more: [Fact] = []) -> Queue {
        var queue = Queue()
        let facts: [Fact] = [
            .enqueued(Fixture.order("a", window: Self.night), rank: Fixture.rank(1)),
            .enqueued(Fixture.order("b"), rank: Fixture.rank(2)),
        ]
        for fact in facts + more { queue.apply(fact.recorded(after: queue.sequence)) }
        return queue
    }

    private func plan(_ queue: Queue, _ running: Set<Lease>, at now: Timestamp, window: DailyWindow? = nil) -> Plan {
        queue.plan(running: running, limits: Limits(window: window), at: now)
    }

    private let both: Set<Lease> = [Lease(1, epoch: 0), Lease(2, epoch: 0)]

    @Test func `outside its hours a download is neither started nor kept running, and nothing else waits for it`() {
        let evening = plan(queue(), [], at: Self.evening)
        #expect(evening.start == [Lease(2, epoch: 0)])
        #expect(evening.wakeAt == Timestamp(rfc3339: "2026-01-02T22:00:00Z"))
        #expect(plan(queue(), both, at: Self.evening).stop == [Lease(1, epoch: 0)])
        let midnight = plan(queue(), [], at: Self.midnight)
        #expect(midnight.start == [Lease(1, epoch: 0), Lease(2, epoch: 0)])
        #expect(midnight.wakeAt == Timestamp(rfc3339: "2026-01-03T06:00:00Z"))
        #expect(plan(queue(), both, at: Self.midnight).stop.isEmpty)
    }

    @Test func `outside the hours of the ledger nothing runs but what is getting its final name`() {
        let publishing = queue(PhaseCase.verified.map { .about(2, $0) })
        let plan = plan(publishing, both, at: Self.evening, window: Self.night)
        #expect(plan.stop == [Lease(1, epoch: 0)])
        #expect(plan.start.isEmpty)
        #expect(self.plan(publishing, [], at: Self.evening, window: Self.night).start == [Lease(2, epoch: 0)])
        #expect(plan.wakeAt == Timestamp(rfc3339: "2026-01-02T22:00:00Z"))
    }

    @Test func `what is paused or over waits for no hours`() {
        let over = queue([.about(1, .paused), .about(2, .cancelled)])
        #expect(plan(over, [], at: Self.evening, window: Self.night) == Plan())
    }

    @Test func `a thousand downloads whose hours are over do not stand before others`() {
        var queue = Queue()
        for index in 1...1000 {
            let order = Fixture.order("\(index)", window: Self.night)
            queue.apply(Fact.enqueued(order, rank: Fixture.rank(Int64(index))).recorded(after: queue.sequence))
        }
        queue.apply(Fact.enqueued(Fixture.order("b"), rank: Fixture.rank(1001)).recorded(after: queue.sequence))
        #expect(plan(queue, [], at: Self.evening).start == [Lease(1001, epoch: 0)])
        #expect(queue.invariantViolation() == nil)
    }

    @Test func `what rests is not started and takes no place`() {
        let plan = queue().plan(running: [], resting: [1], limits: Limits(runningMax: 1), at: Self.midnight)
        #expect(plan.start == [Lease(2, epoch: 0)])
    }

    @Test func `a row can say when the hours open that a download waits for`() throws {
        let queue = queue()
        func opening(_ id: DownloadID, _ window: DailyWindow? = nil) throws -> String? {
            try #require(queue[id]).opening(under: window, at: Self.evening, .utc)?.rfc3339
        }
        #expect(try opening(1) == "2026-01-02T22:00:00.000Z")
        #expect(try opening(1, DailyWindow(parsing: "23:00-01:00")) == "2026-01-02T23:00:00.000Z")
        #expect(try opening(1, DailyWindow(parsing: "05:00-23:00")) == "2026-01-02T22:00:00.000Z")
        #expect(try opening(2) == nil)
        #expect(try opening(2, Self.night) == "2026-01-02T22:00:00.000Z")
    }
}
