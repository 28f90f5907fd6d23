import LedgerAPI
import LedgerModel
import LedgerTestSupport
import LedgerViews
import Testing

@testable import LedgerCommands

/// `explain`: a download's story in words, and why one waits.
struct ExplainTests {
    @Test func `a download that failed once and came whole is told from the order to the digest`() async throws {
        let (shell, bytes) = (try Shell(), OriginEntity.pattern(20_000))
        let origin = try await OriginServer.start()
        let entity = OriginEntity(bytes)
        origin.script("/b.bin", [{ _ in OriginReply(503, body: []) }, { entity.reply(to: $0) }])
        origin.on("/a.bin") { _ in .redirect(302, to: "/b.bin") }
        let url = try origin.url("/a.bin").text
        #expect(await shell.run("get", "-d", "out", "--retry-wait", "1ms", url).code == 0)
        let told = await shell.run("explain", "1")
        #expect(told.code == 0)
        for words in [
            "  asked for by cli: \(url), to be saved in ", "  attempt 1 failed: ", "(status 503); tried again in ",
            "  the origin answered: 19.5 KiB (20 000 bytes), ", "; redirected to \(try origin.url("/b.bin").text)",
            "  whole and durable: 19.5 KiB (20 000 bytes), sha-256:", "  the file stands under its final name: ",
            "\nnow, after event ", ": completed\n  the file stands at ", "/out/",
        ] {
            #expect(told.output.contains(words), "\(words) in \(told.output)")
        }
        let json = await shell.run("explain", "1", "--json")
        let events = await shell.run("replay", "--id", "1", "--json")
        #expect(json.lines.count == events.lines.count + 1 && json.errors == "")
        #expect(
            json.lines[0].hasPrefix(#"{"seq":1,"time":""#) && json.lines[0].contains(#""type":"enqueued","words":""#))
        #expect(json.lines.last?.hasPrefix(#"{"end":{"id":1,"state":"completed","seq":"#) ?? false)
        #expect(json.lines.last?.contains(#""missing":[],"#) ?? false)
        try await origin.stop()
    }

    @Test func `a mirror that was asked next is not told as a redirect`() async throws {
        let shell = try Shell()
        let origin = try await OriginServer.start()
        origin.on("/a.bin") { _ in OriginReply(404) }
        origin.serve("/b.bin", OriginEntity(OriginEntity.pattern(20_000)))
        let (url, mirror) = (try origin.url("/a.bin").text, try origin.url("/b.bin").text)
        #expect(await shell.run("get", "-d", "out", "--mirror", mirror, url).code == 0)
        let told = await shell.run("explain", "1").output
        #expect(told.contains("; it is the mirror \(mirror)") && !told.contains("redirected"), "\(told)")
        try await origin.stop()
    }

    @Test func `what is not there is an error`() async throws {
        let shell = try Shell()
        #expect(await shell.run("explain", "1").code == 10)
        #expect(await shell.run("explain", "1", "--why-waiting").code == 10)
        #expect(await shell.run("add", "http://a/x").code == 0)
        for flags in [[], ["--why-waiting"], ["--json"]] {
            let none = await shell.run(["explain", "2"] + flags)
            #expect(none.code == 1 && none.output == "" && none.errors.hasPrefix("not-found: there is no download 2\n"))
        }
    }

    @Test func `every kind of event is told as recorded`() throws {
        var (teller, queue) = (Storyteller(), Queue())
        let lines = Self.facts.map { fact in
            let event = fact.recorded(after: queue.sequence)
            queue.apply(event)
            return "\(event.sequence) \(event.event.kind.name): \(teller.words(for: event))"
        }
        try Snapshot("explain-words.txt").check(lines.joined(separator: "\n"))
    }

    @Test func `a deletion of what was never finished names no file`() {
        let facts: [Fact] = [
            .enqueued(Fixture.order(), priority: 0, rank: 1), .about(1, .deleted(.trash(path: "/home/trash/1"))),
        ]
        var (teller, queue) = (Storyteller(), Queue())
        let words = facts.map { fact in
            let event = fact.recorded(after: queue.sequence)
            queue.apply(event)
            return teller.words(for: event)
        }
        #expect(words.last == "deleted by cli: there was no finished file")
    }

    static let facts: [Fact] = {
        var order = Fixture.order(saveAs: "file.iso", notBefore: Fixture.now, window: DailyWindow(start: 60, end: 120))
        order.expected = Fixture.digest()
        var slow = order.options.value
        slow.bytesPerSecondMax = 500_000
        var changed = order
        changed.options = Shared(slow)
        var moved = Fixture.origin(length: 2000, tag: "\"b\"")
        moved.url = ResourceURL(recorded: "https://cdn.example/file.iso")
        moved.mirrors = [ResourceURL(recorded: "https://mirror.example/file.iso")]
        moved.acceptsRanges = false
        var asked = Failure(
            .status, "the origin answered 503", isRetryable: true, status: 503, retryAfterSeconds: 30)
        asked.poisonsPart = true
        let gone = Failure(.status, "the origin answered 404", isRetryable: false, status: 404)
        let mirror = ResourceURL(recorded: "https://mirror.example/file.iso")
        let tail = FileIdentity(length: 1 << 30, modifiedNanoseconds: 5, inode: 1)
        return [
            .enqueued(order, priority: 2, rank: 1), .about(1, .resolved(Fixture.origin(), generation: 1)),
            .about(1, .progressed(ByteRangeSet([0..<100, 500..<700]))), .about(1, .progressed(ByteRangeSet(0..<800))),
            .about(1, .failed(Fixture.lost, retryAt: Fixture.now)), .about(1, .blamed(mirror, gone)),
            .about(1, .resolved(moved, generation: 2)), .about(1, .failed(asked, retryAt: Fixture.now)),
            .about(1, .paused), .about(1, .restored(undoing: 9)), .about(1, .moved(priority: -1, rank: 5)),
            .about(1, .changed(changed)), .about(1, .failed(gone, retryAt: nil)), .about(1, .retried),
            .about(1, .verified(length: 2000, sha256: Fixture.digest(), path: "/data/file.iso")),
            .about(1, .completed(Fixture.identity(length: 2000))), .about(1, .missing),
            .about(1, .found(tail, sha256: Fixture.digest(9), path: "/data/file (1).iso")),
            .about(1, .altered(tail, sha256: nil)), .about(1, .rechecked), .about(1, .unchanged),
            .about(1, .deleted(.trash(path: "/home/trash/1"))), .about(1, .restored(undoing: 22)),
            .about(1, .deleted(.purge)),
        ]
    }()

    @Test func `what was compacted away for good is said, with what it had come to`() async throws {
        let shell = try await Self.shellWithProgress(3)
        #expect(await shell.run("explain", "1", "--json").output.contains(#""compactedThrough":null"#))
        #expect(await shell.run("compact", "--drop", "--keep-events", "0").code == 0)
        let told = await shell.run("explain", "1")
        #expect(told.code == 0)
        #expect(
            told.output.hasPrefix("what came before event 6 was compacted away; it was queued then, 300 B received: "))
        #expect(told.output.contains("now, after event 6: queued\n  300 B of 9.8 KiB in /d/x.1-"), "\(told.output)")
        let json = await shell.run("explain", "1", "--json")
        #expect(json.lines.count == 1 && json.output.contains(#""compactedThrough":5,"words":""#), "\(json.output)")
    }

    @Test func `a long run of progress is told by its ends, and in full when asked`() async throws {
        let shell = try await Self.shellWithProgress(20)
        let short = await shell.run("explain", "1")
        #expect(short.output.contains(" reports of progress more up to event "), "\(short.output)")
        #expect(short.output.contains("in /d/x.1-") && short.output.contains("missing: bytes 2000 to 9999"))
        let whole = await shell.run("explain", "1", "--verbose")
        #expect(whole.output.split(separator: "\n").count { $0.contains(" durable (") } == 20)
    }

    /// A ledger with one download that is under way, its log written record by record.
    static func shellWithProgress(_ count: Int) async throws -> Shell {
        let shell = try Shell()
        var facts: [Fact] = [
            .enqueued(Fixture.order("x", directory: "/d"), priority: 0, rank: 1),
            .about(1, .resolved(Fixture.origin(length: 10_000), generation: 1)),
        ]
        for number in 1...count { facts.append(.about(1, .progressed(ByteRangeSet(0..<UInt64(number) * 100)))) }
        try shell.record(facts)
        return shell
    }
}
