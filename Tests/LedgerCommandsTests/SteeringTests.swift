import LedgerModel
import LedgerTestSupport
import SystemPackage
import Testing

@testable import LedgerCommands

/// `change`, `limit`, and what happens to one download more than the queue may hold.
struct SteeringTests {
    @Test func `change says what it changed, and undo takes it back`() async throws {
        let shell = try Shell()
        #expect(await shell.run("add", "-d", "out", "http://127.0.0.1:9/a.bin").code == 0)
        let change = await shell.run("change", "1", "--limit-rate", "500K", "--priority", "3", "--window", "always")
        #expect(change.output == "1 changed: a.bin\n", "\(change.errors)")
        let events = await shell.run("replay", "--json", "--type", "changed,moved")
        #expect(events.lines.count == 2 && events.output.contains("512000"), "\(events.output)")
        #expect(await shell.run("list", "--json").output.contains(#""priority":3"#))
        #expect(await shell.run("undo").code == 0)
        #expect(await shell.run("list", "--json").output.contains(#""priority":0"#))
        #expect(await shell.run("change", "1", "--tags", "a,, b ,").code == 0)
        #expect(await shell.run("list", "--json").output.contains(#""tags":["a","b"]"#))
        let none = await shell.run("change", "7", "--retries", "3")
        #expect(none.code == 1 && none.errors.contains("there is no download 7"))
    }

    static let wrong: [(arguments: [String], words: String)] = [
        (["change", "1"], "Say what to change"), (["change", "--limit-rate", "1M"], "Say which downloads"),
        (["change", "--all", "--url", "http://a/"], "'--url' is for one download"),
        (["change", "1", "--window", "noon"], "two times of the day"),
        (["limit", "--jobs", "0"], "a whole number from 1 to 1024"),
        (["run", "--queue-policy", "drop"], "refuse, evict-oldest, evict-newest"),
        (["run", "--retry-factor", "0.5"], "a number from 1 to 100"),
    ]

    @Test(arguments: wrong.indices) func `what makes no sense is told`(_ index: Int) async throws {
        let row = Self.wrong[index]
        let result = await (try Shell()).run(row.arguments)
        #expect(result.code == 64 && result.errors.contains(row.words), "\(result.errors)")
    }

    @Test func `several that go first stand there as they were named, and one that is named twice is one`() async throws
    {
        let shell = try Shell()
        #expect(await shell.run(["add"] + (1...5).map { "http://a/\($0)" }).code == 0)
        #expect(await shell.run("move", "4", "5", "3", "4", "--to", "first").code == 0)
        let list = await shell.run("list", "--sort", "priority", "--json").lines
        #expect(list.map { $0.split(separator: ",")[0] } == [4, 5, 3, 1, 2].map { #"{"id":\#($0)"# }, "\(list)")
        let paused = await shell.run("pause", "1", "1", "--json")
        #expect(paused.code == 0 && paused.lines.count == 1, "\(paused.errors)")
    }

    @Test func `get tells of what was refused, and of a file that its group let go again`() async throws {
        let (shell, origin) = (try Shell(), try await OriginServer.start())
        let urls = try (0..<3).map { try origin.url("/k\($0)").text }
        for number in 0..<3 { origin.serve("/k\(number)", OriginEntity(OriginEntity.pattern(9, seed: UInt64(number)))) }
        let refused = await shell.run(
            ["get", "--json", "-d", "out", "--group", "G", "-j", "1"] + urls.prefix(2),
            environment: ["LEDGER_QUEUE_MAX": "1"])
        #expect(refused.code == 1 && refused.lines.count == 2, "\(refused.output)")
        #expect(refused.lines.contains { $0.contains(#""code":"queue-full""#) && $0.contains(urls[1]) })
        #expect(refused.errors.hasSuffix("1 of 2 downloads completed, 1 refused\n"), "\(refused.errors)")
        #expect(await shell.run("keep", "G", "--newest", "1", "-q").code == 0)
        let gone = await shell.run(["get", "-d", "out", "--group", "G"] + urls.suffix(2))
        #expect(gone.code == 1 && gone.errors.contains("/out/k1' is gone again: group 'G' holds"), "\(gone.errors)")
        #expect(try shell.names(in: "out") == ["k2"])
        try await origin.stop()
    }

    @Test func `a filter that is given again adds to the first`() async throws {
        let shell = try Shell()
        #expect(await shell.run(["add"] + (1...4).map { "http://a/x\($0).pdf" } + ["http://a/y4.mp3"]).code == 0)
        #expect(await shell.run("pause", "3", "-q").code == 0)
        #expect(await shell.run("cancel", "4", "-q").code == 0)
        let states = await shell.run("list", "--state", "queued", "--state", "paused", "--json").lines
        #expect(states.count == 4, "\(states)")
        let kinds = await shell.run("list", "--kind", "audio", "--kind", "document,video", "--json").lines
        #expect(kinds.count == 5, "\(kinds)")
        #expect(await shell.run("list", "--search", "pdf", "--search", "x1", "--json").lines.count == 1)
        let types = await shell.run("replay", "--type", "paused", "--type", "cancelled", "--json", "-q").lines
        #expect(types.count == 2, "\(types)")
    }

    @Test func `limit without a holder says who takes limits`() async throws {
        let shell = try Shell()
        #expect(await shell.run("limit").code == 10)
        #expect(await shell.run("add", "-d", "out", "http://127.0.0.1:9/a.bin").code == 0)
        let limit = await shell.run("limit", "--max-rate", "2M")
        #expect(limit.code == 1)
        #expect(limit.errors.contains("nobody holds the ledger now"))
        #expect(limit.errors.contains("ledger run --max-rate 2M --jobs 8"))
    }

    @Test(.timeLimit(.minutes(30))) func `limit shows and changes what the holder does`() async throws {
        let (shell, bytes) = (try Shell(), OriginEntity.pattern(300_000))
        let origin = try await OriginServer.start()
        origin.on("/a.bin") { OriginEntity(bytes).reply(to: $0) }
        let url = try origin.url("/a.bin").text
        // At this rate it would take half an hour.
        async let running = shell.run("get", "-d", "out", "--max-rate", "150", "--jobs", "3", url)
        while !(await shell.run("list", "--json")).output.contains(#""state":"running""#) {}
        let shown = await shell.run("limit", "--json")
        #expect(shown.output.contains(#""jobs":3,"perHost":4,"maxRate":150,"#), "\(shown.output)")
        let changed = await shell.run("limit", "--max-rate", "2000", "--per-host", "7")
        #expect(changed.output.hasPrefix("at once       3, "), "\(changed.errors)")
        #expect(changed.output.contains("\none host      7\nall together  2.0 KiB/s\n"))
        // It may be gone before it answers.
        _ = await shell.run("limit", "--max-rate", "0")
        #expect(await running.code == 0)
        #expect(try shell.contents("out/a.bin") == bytes)
        try await origin.stop()
    }

    @Test func `a full queue refuses, or evicts and tells whoever waits for it`() async throws {
        let shell = try Shell()
        let origin = try await OriginServer.start()
        for path in ["/a.bin", "/b.bin"] { origin.on(path) { OriginEntity([1, 2, 3]).reply(to: $0) } }
        let urls = try ["/a.bin", "/b.bin"].map { try origin.url($0).text }
        let refused = await shell.run(["get", "-d", "out", "--queue-max", "1"] + urls)
        #expect(refused.code == 1 && refused.errors.contains("the queue is full: it may hold 1"), "\(refused.errors)")
        #expect(try shell.names(in: "out") == ["a.bin"])

        // One row for each that was asked for.
        let one = await shell.run(
            ["add", "--json", "-d", "three"] + urls, environment: ["LEDGER_QUEUE_MAX": "1"])
        #expect(one.code == 1 && one.lines.count == 2 && one.lines[0].contains(#""joined":false"#), "\(one.output)")
        #expect(one.lines[1].contains(#""error":{"code":"queue-full""#), "\(one.output)")
        #expect(one.lines[1].contains("\"url\":\"\(urls[1])\""), "\(one.output)")
        #expect(await shell.run("cancel", "--all").code == 0)

        let evicting = ["get", "--json", "-d", "two", "--queue-max", "1", "--queue-policy", "evict-oldest"]
        let evicted = await shell.run(evicting + urls)
        #expect(evicted.code == 1)
        #expect(evicted.lines.contains { $0.contains(#""state":"failed""#) && $0.contains(#""code":"evicted""#) })
        #expect(evicted.lines.contains { $0.contains("/b.bin") && $0.contains(#""state":"completed""#) })
        #expect(try shell.names(in: "two") == ["b.bin"])
        try await origin.stop()
    }

    @Test func `limits stand in the configuration, and a bad one is told`() async throws {
        let shell = try Shell()
        #expect(await shell.run("add", "-d", "out", "http://127.0.0.1:9/a.bin").code == 0)
        let text = "queueMax: 1\nqueuePolicy: refuse\nretryWait: 2s\nretryCap: 1m\nretryFactor: 3\nretryAfterCap: 2h\n"
        try shell.write("home/config.yaml", Array(text.utf8))
        let get = await shell.run("get", "-d", "out", "http://127.0.0.1:9/b.bin")
        #expect(get.code == 1 && get.errors.contains("the queue is full: it may hold 1"), "\(get.errors)")
        try shell.write("home/config.yaml", Array("window: noon\n".utf8))
        let bad = await shell.run("pause", "1")
        #expect(bad.code == 64 && bad.errors.contains("'window' in"), "\(bad.errors)")
        // Who only reads needs none.
        for words in ["list", "show 1", "replay", "verify", "stats", "explain 1", "diff 1 1", "checkpoint"] {
            #expect(await shell.run(words.split(separator: " ").map(String.init)).code == 0, "\(words)")
        }
    }
}
