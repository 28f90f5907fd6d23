import LedgerAPI
import LedgerModel
import LedgerTestSupport
import Testing

@testable import LedgerCommands

/// `stats`: figures by group, host, day and state.
struct StatsTests {
    private static let gone = Failure(.status, "404", isRetryable: false, status: 404)

    /// A download that came after a retry, one that was given up, and one that waits; of two hosts and one group.
    private static let facts: [Fact] = [
        .enqueued(Fixture.order("a", host: "one.example", group: "g"), priority: 0, rank: 1),
        .about(1, .failed(Fixture.lost, retryAt: Fixture.now)),
        .about(1, .resolved(Fixture.origin(), generation: 1)), .about(1, .progressed(ByteRangeSet(0..<500))),
        .about(1, .verified(length: 1000, sha256: Fixture.digest(), path: "/data/a")),
        .about(1, .completed(Fixture.identity())),
        .enqueued(Fixture.order("b", host: "two.example"), priority: 0, rank: 2),
        .about(7, .failed(gone, retryAt: nil)),
        .enqueued(Fixture.order("c", host: "two.example"), priority: 0, rank: 3),
    ]

    @Test func `figures are counted by what was asked for`() {
        var state = LedgerState()
        for fact in Self.facts { state.apply(fact.recorded(after: state.sequence)) }
        let report = StatsReport(
            state,
            .init(byDownload: [1: [.connectionLost: 1], 7: [.status: 1]], byDay: [Fixture.start.day: [.status: 1]]),
            by: [.host, .group, .day, .state])
        #expect(report.total.downloads == 3 && report.total.completed == 1 && report.total.bytes == 1000)
        #expect(report.total.failures == 2 && report.total.retries == 1 && report.total.givenUp == 1)
        #expect(report.total.reasons == [.connectionLost: 1, .status: 1])
        #expect(report.total.success == 0.5)
        // From the first answer (event 3) to the final name (event 6): three seconds.
        #expect(report.total.rate == 333)
        let keys = report.lines.map { "\($0.dimension.rawValue) \($0.key ?? "-")" }
        #expect(
            keys == [
                "host one.example", "host two.example", "group g", "group -", "day 2026-01-01", "state queued",
                "state completed", "state failed",
            ])
        #expect(report.lines[0].figures.success == 1 && report.lines[1].figures.success == 0)
        #expect(report.lines[1].figures.downloads == 2 && report.lines[1].figures.reasons == [.status: 1])
        let day = report.lines[4].figures
        #expect(day.downloads == 3 && day.completed == 1 && day.bytes == 1000 && day.failures == 2 && day.rate == 333)
        #expect(day.reasons == [.status: 1])
    }

    @Test func `the log is enough for it, at any point, for people and for scripts`() async throws {
        let shell = try Shell()
        try shell.record(Self.facts)
        let words = await shell.run("stats")
        try Snapshot("stats.txt").check(words.output)
        let json = await shell.run("stats", "--json", "--by", "host")
        #expect(json.code == 0 && json.lines.count == 3 && json.errors == "")
        #expect(json.lines[0].hasPrefix(#"{"by":"total","key":null,"seq":9,"#))
        #expect(json.lines[1].contains(#""by":"host","key":"one.example","downloads":1,"states":{"completed":1},"#))
        #expect(json.lines[2].contains(#""failures":1,"retries":0,"reasons":{"status":1}"#), "\(json.output)")
        #expect(await shell.run("stats", "--json", "--by", "host,host").output == json.output)
        let early = await shell.run("stats", "--json", "--by", "state", "--at", "2")
        #expect(early.lines.count == 2 && early.lines[1].contains(#""key":"waiting","downloads":1"#))
        #expect(early.lines[0].contains(#""reasons":{"connection-lost":1}"#))
        #expect(await shell.run("stats", "--at", "10").code == 1)
        #expect(await (try Shell()).run("stats").code == 10)
        #expect(await shell.run("stats", "--by", "colour").code == 64)
    }
}
