import ArgumentParser
import LedgerAPI
import LedgerModel
import LedgerTestSupport
import LedgerViews
import Testing

@testable import LedgerCommands

/// A text, what it means, and the line it stands on here.
struct Row<Value: Sendable>: Sendable, CustomTestStringConvertible {
    let text: String
    let expected: Value
    let location: SourceLocation

    init(_ text: String, _ expected: Value, at location: SourceLocation = #_sourceLocation) {
        self.text = text
        self.expected = expected
        self.location = location
    }

    var testDescription: String { "'\(text)'" }
}

struct ParsingTests {
    static let sizes: [Row<UInt64?>] = [
        Row("0", 0), Row("4096", 4096), Row("20K", 20_480), Row("20k", 20_480), Row("1.5M", 1_572_864),
        Row("2GiB", 2 << 30), Row("1KB", 1024), Row("1T", 1 << 40), Row("500K/s", 512_000), Row(".5k", 512),
        Row("", nil), Row("K", nil), Row(".", nil), Row("-1", nil), Row("1.2.3", nil), Row("1X", nil), Row("1 K", nil),
        Row("9000000T", nil), Row("1e3", nil),
    ]

    @Test(arguments: sizes) func `a size is read as people write it`(row: Row<UInt64?>) {
        #expect(ByteSize(parsing: row.text)?.bytes == row.expected, sourceLocation: row.location)
    }

    @Test func `a rate of zero is no limit`() {
        #expect(ByteSize(0).limit == nil)
        #expect(ByteSize(1).limit == 1)
    }

    static let spans: [Row<Int64?>] = [
        Row("30", 30_000), Row("1.5", 1500), Row("30s", 30_000), Row("500ms", 500), Row("2h", 7_200_000),
        Row("1h30m", 5_400_000), Row("7d", 604_800_000), Row("1H", 3_600_000), Row("0", 0), Row("10min", 600_000),
        Row("", nil), Row("s", nil), Row("1x", nil), Row("-1", nil), Row("1h30", nil), Row("1 h", nil),
        Row("99999d", nil), Row("1..5s", nil),
    ]

    @Test(arguments: spans) func `a length of time is read as people write it`(row: Row<Int64?>) {
        #expect(TimeSpan(parsing: row.text)?.milliseconds == row.expected, sourceLocation: row.location)
    }

    @Test func `an instant is a time, a date, or a length of time from now`() {
        let now = Timestamp(rfc3339: "2026-03-02T10:00:00Z")!
        func resolved(_ text: String) -> String? { Instant(parsing: text)?.resolved(now: now).rfc3339 }
        #expect(resolved("2026-03-02T12:00:00+01:00") == "2026-03-02T11:00:00.000Z")
        #expect(resolved("2026-03-03") == "2026-03-03T00:00:00.000Z")
        #expect(resolved("90m") == "2026-03-02T11:30:00.000Z")
        #expect(resolved("tomorrow") == nil)
    }

    @Test func `a point in the log is a sequence or a time`() {
        #expect(LogPoint(argument: "17") == .sequence(SequenceNumber(17)))
        #expect(LogPoint(argument: "2026-03-02") == .time(Timestamp(rfc3339: "2026-03-02")!))
        #expect(LogPoint(argument: "now") == nil)
    }

    @Test func `a place is first, last or a number from 1 on`() {
        #expect(Placement(argument: "first") == .first)
        #expect(Placement(argument: "last") == .last)
        #expect(Placement(argument: "3") == .index(3))
        #expect(Placement(argument: "0") == nil)
        #expect(DownloadID(argument: "0") == nil)
        #expect(DownloadID(argument: "12") == DownloadID(12))
    }

    @Test func `lists of words are words with commas between them`() {
        #expect(CommaList<Kind>(argument: "video,Audio")?.elements == [.video, .audio])
        #expect(CommaList<Kind>(argument: "video,sound")?.elements == nil)
        #expect(CommaList<DownloadState>(argument: "")?.elements == nil)
    }

    @Test func `a number may stand right behind its letter, as other programs take it`() throws {
        for (jobs, split) in [(["-j2"], ["-s4"]), (["-j", "2"], ["-s", "4"])] {
            let run = try #require(LedgerCommand.parseAsRoot(["run"] + jobs + ["-d", "x"]) as? Run)
            #expect(run.pool.pace.jobs == 2 && run.server.dir == "x")
            let get = try #require(LedgerCommand.parseAsRoot(["get"] + split + jobs + ["http://a/x"]) as? Get)
            #expect(get.pool.pace.jobs == 2 && get.options.split == 4)
            #expect(try #require(LedgerCommand.parseAsRoot(["limit"] + jobs) as? Limit).jobs == 2)
            #expect(try #require(LedgerCommand.parseAsRoot(["change", "1"] + split) as? Change).split == 4)
        }
    }

    static let paths: [Row<String>] = [
        Row("/a/b", "/a/b"), Row("x", "/data/dir/x"), Row(".", "/data/dir"), Row("", "/data/dir"),
        Row("~/x", "/home/ada/x"),
        Row("~", "/home/ada"), Row("../x", "/data/dir/../x"), Row("~bob", "/data/dir/~bob"),
    ]

    @Test(
        arguments: [
            Row("--home h list --limit 1", "list --home h --limit 1"),
            Row("-qv --json feed list 1", "feed list -qv --json 1"),
            Row("--home=h --quiet get -- --json", "get --home=h --quiet -- --json"),
            Row("list --home h", "list --home h"),
            Row("--home list", "--home list"), Row("--json --version", "--json --version"),
            Row("--limit 1 list", "--limit 1 list"), Row("- list", "- list"), Row("", ""),
        ])
    func `what every command takes may stand before its name`(row: Row<String>) {
        let words = row.text.split(separator: " ").map(String.init)
        #expect(LeadingOptions.moved(words).joined(separator: " ") == row.expected, sourceLocation: row.location)
    }

    @Test(arguments: paths) func `a path is made absolute`(row: Row<String>) {
        let path = Paths.absolute(row.text, from: "/data/dir", home: "/home/ada")
        #expect(path == row.expected, sourceLocation: row.location)
    }

    @Test func `a path is split at its last slash`() {
        #expect(Paths.split("a/b/c") == ("a/b", "c"))
        #expect(Paths.split("c") == (nil, "c"))
        #expect(Paths.split("/c") == ("/", "c"))
        #expect(Paths.split("a/") == ("a", ""))
    }

    @Test(arguments: [
        (["lst"], "'ledger list' comes closest"), (["--home", "x", "ad", "u"], "'ledger add' comes closest"),
        (["valdiate"], "'ledger --help' names all there are"), (["init"], "'ledger --help' names all there are"),
        (["x"], "'ledger --help' names all there are"),
        (["reconsile", "--json"], "'ledger reconcile' comes closest"),
    ])
    func `a command that is none is called so, and the one that was meant is named`(
        arguments: [String], next: String
    ) async throws {
        let result = try await Shell().run(arguments)
        let name = "ledger " + (arguments.count > 3 ? "ad" : arguments[0])
        #expect(
            result.code == 64 && result.errors == "usage: there is no command '\(name)'\n  next:  \(next)\n",
            "\(result.errors)")
    }

    @Test func `letters that differ are counted, and two that changed places are one`() {
        #expect(UnknownCommand.typos("list", "list") == 0 && UnknownCommand.typos("lsit", "list") == 1)
        #expect(UnknownCommand.typos("lst", "list") == 1 && UnknownCommand.typos("", "add") == 3)
        #expect(UnknownCommand.typos("kitten", "sitting") == 3 && UnknownCommand.typos("ca", "abc") == 3)
        #expect(UnknownCommand.typos(String(repeating: "a", count: 65), "add") == .max)
    }
}
