import LedgerModel
import LedgerSystem
import LedgerTestSupport
import SystemPackage
import Testing

@testable import LedgerCommands
@testable import LedgerEngine

/// `compact` on a real disk: what stays the same, what goes, and what is left of it.
struct CompactTests {
    private func digest(_ shell: Shell) async -> String { await shell.run("replay", "--state", "queue,catalog").output }

    /// Four orders in two finished segments and one in use.
    private func shell() async throws -> Shell {
        let shell = try Shell()
        for name in ["w", "x", "y", "z"] {
            #expect(await shell.run("add", "http://a/\(name)").code == 0)
            if name != "w" { #expect(await shell.run("compact", "--keep-events", "100").code == 0) }
        }
        return shell
    }

    /// Without the snapshot that stands for what was thinned nothing in the log is a start: the archive is read.
    private func expectNoStart(in shell: Shell) throws {
        let reading = LedgerReading(home: LedgerHome(shell.home), world: .system())
        let state = try reading.state()
        let snapshot = "home/snapshots/" + (try #require(try shell.names(in: "home/snapshots").max()))
        let bytes = try #require(try shell.contents(snapshot))
        try shell.damage(snapshot)
        let start = reading.startBeside(bytesMin: 1)?.take() ?? nil
        #expect(start?.state == nil)
        #expect(try reading.state(from: start, through: state.sequence) == state)
        try shell.write(snapshot, bytes)
        #expect((reading.startBeside(bytesMin: 1)?.take() ?? nil) != nil)
    }

    @Test func `what was archived behind what was dropped is shown, however often is compacted`() async throws {
        let shell = try Shell()
        for (round, flags) in [["--drop"], [], [], []].enumerated() {
            for name in ["a", "b", "c"] { #expect(await shell.run("add", "http://a/\(round)/\(name)").code == 0) }
            #expect(await shell.run(["compact", "--keep-events", "0"] + flags).code == 0)
        }
        let look = await shell.run("list", "--at", "6", "--json")
        #expect(look.code == 0 && look.lines.count == 5, "\(look.output)\(look.errors)")
        #expect(await shell.run("list", "--at", "2").code == 24)
    }

    @Test func `what was archived before what was dropped is told, by number, by time and of one download`()
        async throws
    {
        let shell = try Shell()
        for (round, flags) in [[], ["--drop"]].enumerated() {
            for name in ["a", "b", "c"] { #expect(await shell.run("add", "http://a/\(round)/\(name)").code == 0) }
            #expect(await shell.run(["compact", "--keep-events", "0"] + flags).code == 0)
        }
        let early = await shell.run("replay", "--to", "3", "--json")
        #expect(early.code == 0 && early.lines.count == 3, "\(early.output)\(early.errors)")
        let time = try #require(early.lines.dropFirst().first?.firstMatch(of: /"time":"([^"]+)"/)?.1)
        #expect(early.lines.first?.contains(#""url":"http://a/0/a""#) == true)
        let listed = await shell.run("list", "--at", String(time), "--json")
        #expect(listed.code == 0 && listed.lines.count == 2, "\(listed.output)\(listed.errors)")
        #expect(await shell.run("list", "--at", "2000-01-01").output == "nothing here\n")
        let first = await shell.run("explain", "1")
        #expect(first.output.contains("asked for by cli: http://a/0/a"), "\(first.output)")
        #expect(first.output.contains("what came after that and before event 8 was compacted away; it was queued"))
        let proof = await shell.run("proof", "--seq", "2", "--size", "3")
        #expect(proof.code == 0, "\(proof.errors)")
        let cut = await shell.run("replay", "--from", "2")
        #expect(cut.code == 24 && cut.errors.contains("events 1 to 3 are in the archive"), "\(cut.errors)")
        #expect(cut.errors.contains("event 4 was compacted away"), "\(cut.errors)")
        #expect(await shell.run("replay", "--from", "8").errors.contains("archive") == false)
    }

    @Test func `a dry run says what would be done, and does nothing`() async throws {
        let shell = try await shell()
        let (log, snapshots) = (try shell.names(in: "home/log"), try shell.names(in: "home/snapshots"))
        let dry = await shell.run("compact", "--dry-run", "--keep", "0", "--json")
        #expect(dry.code == 0 && dry.lines.count == 1)
        #expect(dry.output.hasPrefix(#"{"summary":{"through":4,"last":4,"root":""#), "\(dry.output)")
        #expect(dry.output.contains(#""eventsDropped":4,"segmentsDropped":3,"segmentsThinned":0,"#))
        #expect(dry.output.hasSuffix(#""archived":true,"dryRun":true}}"# + "\n"))
        #expect(try shell.names(in: "home/log") == log)
        #expect(try shell.names(in: "home/snapshots") == snapshots)
        #expect(try shell.names(in: "home/archive") == [])
    }

    @Test(arguments: [["--keep-events", "0"], ["--keep", "0"], ["--keep-events", "2"], ["--keep", "1h"]])
    func `a dry run counts the segment in use as the real one does`(flags: [String]) async throws {
        let shell = try await shell()
        for name in ["p", "q"] { #expect(await shell.run("add", "http://a/\(name)").code == 0) }
        let dry = await shell.run(["compact", "--dry-run"] + flags)
        let real = await shell.run(["compact"] + flags)
        #expect(dry.code == 0 && real.code == 0)
        // What is left holds the event of the compaction itself.
        let words = dry.output.replacing(" would be ", with: " ").split(separator: ":")[0]
        #expect(real.output.split(separator: ":")[0] == words, "\(dry.output)\(real.output)")
    }

    @Test func `what is young stays but for its progress, which explain finds in the archive, or says is gone`()
        async throws
    {
        let shell = try Shell()
        let origin = try await OriginServer.start()
        let entity = OriginEntity(OriginEntity.pattern(300_000))
        // Stopped again and again once it asks for the rest, so that what came in before is on record.
        let gates = (0..<4).map { _ in OriginGate() }
        origin.script(
            "/a.bin",
            gates.flatMap { gate -> [OriginServer.Answer] in
                [{ entity.reply(to: $0).cut(after: 40_000) }, { entity.reply(to: $0).holding(at: gate, after: 0) }]
            } + [{ entity.reply(to: $0) }])
        let get = ["get", "-q", "-d", shell.directory.string + "/out", try origin.url("/a.bin").text]
        for gate in gates {
            let (interrupts, stop) = AsyncStream.makeStream(of: Void.self)
            async let stopped = shell.run(get, interrupts: interrupts)
            await gate.reached()
            stop.yield()
            _ = await stopped
            gate.open()
        }
        #expect(await shell.run(get).code == 0)
        try await origin.stop()
        let progress = " durable (13 %), "
        #expect(await shell.run("explain", "1").output.contains(progress))
        // Without an archive nobody would have it as it was.
        let whole = await shell.run("compact", "--drop", "--keep", "1h", "--json")
        #expect(whole.output.contains(#""segmentsDropped":0,"segmentsThinned":0,"#), "\(whole.output)")
        let compact = await shell.run("compact", "--keep", "1h", "--json")
        #expect(compact.output.contains(#""segmentsDropped":0,"segmentsThinned":1,"#), "\(compact.output)")
        #expect(await shell.run("explain", "1").output.contains(progress))
        try expectNoStart(in: shell)
        for name in try shell.names(in: "home/archive") { try shell.removeFile("home/archive/" + name) }
        let thinned = await shell.run("explain", "1").output
        #expect(!thinned.contains(progress))
        #expect(thinned.hasPrefix("some of how its bytes came in was compacted away\n"), "\(thinned)")
        #expect(await shell.run("verify").code == 0)
    }

    @Test(arguments: [false, true])
    func `rows and digest stay, the log verifies, and the segments are archived or gone`(drops: Bool) async throws {
        let shell = try await shell()
        let (rows, state) = (await shell.run("list", "--json").output, await digest(shell))
        let segments = try shell.names(in: "home/log")
        let compact = await shell.run(["compact", "--keep", "0", "--json"] + (drops ? ["--drop"] : []))
        #expect(compact.code == 0 && compact.lines.count == 1)
        #expect(compact.output.hasPrefix(#"{"summary":{"through":4,"last":5,"root":""#), "\(compact.output)")
        #expect(compact.output.hasSuffix(#""archived":\#(!drops),"dryRun":false}}"# + "\n"))
        #expect(try shell.names(in: "home/log") == [segments.last])
        let archive = try shell.names(in: "home/archive")
        #expect(archive == (drops ? [] : segments.dropLast().map { $0 + ".gz" }))
        #expect(await shell.run("list", "--json").output == rows)
        #expect(await digest(shell) == state.replacing("after event 4", with: "after event 5"))
        #expect(await shell.run("verify").code == 0)
        #expect(await shell.run("add", "http://a/later").output == "6\n")
        #expect(await shell.run("verify").code == 0)
    }

    @Test func `a segment that does not verify is not archived, and nothing is moved`() async throws {
        let shell = try await shell()
        let names = try shell.names(in: "home/log")
        try shell.damage("home/log/" + names[0], at: 120)
        let compact = await shell.run("compact", "--keep", "0")
        #expect(compact.code == 21, "\(compact.errors)")
        #expect(try shell.names(in: "home/log") == names)
        #expect(try shell.names(in: "home/archive") == [])
    }

    @Test(.timeLimit(.minutes(5)))
    func `a moment that a snapshot is of is shown, though what came next is gone`() async throws {
        let shell = try await shell()
        #expect(await shell.run("compact", "--keep-events", "0").code == 0)
        let snapshot = try #require(try shell.names(in: "home/snapshots").max())
        let moment = try #require(UInt64(snapshot.prefix { $0 != "." })).description
        let before = await shell.run("list", "--json", "--at", moment)
        #expect(before.code == 0 && before.lines.count == 4)
        #expect(await shell.run("add", "-q", "http://a/more").code == 0)
        #expect(await shell.run("compact", "--drop", "--keep-events", "0").code == 0)
        #expect(try shell.names(in: "home/snapshots").contains(snapshot), "the test means something")
        let after = await shell.run("list", "--json", "--at", moment)
        #expect(after.code == 0 && after.output == before.output, "\(after.errors)")
    }

    @Test func `a segment that does not verify is not dropped either`() async throws {
        let shell = try await shell()
        // The snapshot at its end stands before the damage is met.
        #expect(await shell.run("compact", "--keep-events", "2").code == 0)
        let name = try #require(try shell.names(in: "home/log").first)
        try shell.damage("home/log/" + name)
        #expect(await shell.run("list").code == 0, "nobody looks there")
        let result = await shell.run("compact", "--drop", "--keep-events", "0")
        #expect(result.code == 21 && result.errors.contains(name), "\(result.errors)")
        #expect(try shell.names(in: "home/log").contains(name))
        #expect(await shell.run("verify").code == 21)
    }

    @Test func `a point that an old snapshot and the log do not reach together is gone, and snapshots do not pile up`()
        async throws
    {
        let shell = try Shell()
        for name in ["v", "w"] { #expect(await shell.run("add", "http://a/\(name)").code == 0) }
        #expect(await shell.run("compact", "--drop", "--keep-events", "0").code == 0)
        #expect(await shell.run("add", "http://a/x").code == 0)
        #expect(await shell.run("compact", "--drop", "--keep-events", "100").code == 0)
        #expect(await shell.run("add", "http://a/y").code == 0)
        #expect(await shell.run("compact", "--drop", "--keep-events", "1").code == 0)
        #expect(try shell.names(in: "home/snapshots") == ["0000000000000004.snap", "0000000000000005.snap"])
        var codes: [Int32] = []
        for point in 1...7 { codes.append(await shell.run("list", "--at", "\(point)").code) }
        #expect(codes == [24, 24, 24, 0, 0, 0, 1])
        let gone = await shell.run("list", "--at", "3")
        #expect(gone.errors.contains("cause: the log begins after event 4\n"), "\(gone.errors)")
        #expect(await shell.run("compact", "--keep-events", "0").code == 0)
        #expect(
            try shell.names(in: "home/snapshots")
                == ["0000000000000004.snap", "0000000000000005.snap", "0000000000000006.snap"])
    }

    @Test func `with the archive at hand every moment is still shown, and without it it is said`() async throws {
        let shell = try await shell()
        func past() async -> [String] {
            var states: [String] = []
            for point in 0...4 {
                states.append(await shell.run("replay", "--state", "queue,catalog,digest", "--to", "\(point)").output)
                states.append(await shell.run("list", "--at", "\(point)", "--json").output)
            }
            return states
        }
        let (before, events) = (await past(), await shell.run("replay", "--to", "4").lines)
        #expect(await shell.run("compact", "--keep-events", "0").code == 0)
        #expect(await past() == before)
        #expect(await shell.run("replay", "--to", "4").lines == events)
        #expect(await shell.run("replay").lines.count == 6)
        for name in try shell.names(in: "home/archive") { try shell.removeFile("home/archive/" + name) }
        for look in [["list", "--at", "0"], ["replay", "--to", "0"], ["diff", "0", "4"]] {
            #expect(await shell.run(look).code == 0, "\(look): before the first event nothing was")
        }
        let gone = await shell.run("list", "--at", "2")
        #expect(gone.code == 24 && gone.errors.contains("event 2 was compacted away"), "\(gone.errors)")
        #expect(await shell.run("verify").code == 0)
        #expect(await shell.run("replay").lines.count == 2)
    }

    @Test func `what is exported is whole, or refused`() async throws {
        let shell = try await shell()
        #expect(await shell.run("compact", "--drop", "--keep-events", "0").code == 0)
        let export = await shell.run("export")
        #expect(export.code == 24 && export.errors.contains("it can not be exported"), "\(export.errors)")
    }

    @Test func `compacting what is compacted does nothing`() async throws {
        let shell = try await shell()
        #expect(await shell.run("compact", "--keep-events", "0").code == 0)
        let names = try shell.names(in: "home/log")
        let again = await shell.run("compact", "--keep-events", "0")
        #expect(again.code == 0 && again.output.hasPrefix("nothing to drop: "), "\(again.output)")
        #expect(try shell.names(in: "home/log") == names)
    }

    @Test func `what is younger than 90 days stays, unless it is told otherwise`() async throws {
        let shell = try await shell()
        #expect(await shell.run("compact").output.hasPrefix("nothing to drop: "))
        #expect(await shell.run("compact", "--keep", "1d").output.hasPrefix("nothing to drop: "))
        #expect(await shell.run("compact", "--keep", "0").output.hasPrefix("3 segments with 4 events up to 4 archived"))
    }

    @Test func `compaction removes the secrets that no download needs any more`() async throws {
        let shell = try Shell()
        func add(_ name: String) async {
            #expect(await shell.run("add", "http://user:\(name)-s3cret@a/\(name)").code == 0)
        }
        func kept(_ name: String) throws -> Bool {
            String(decoding: try shell.contents("home/secrets") ?? [], as: UTF8.self).contains("\(name)-s3cret")
        }
        for name in ["stays", "purged", "trashed", "kept"] { await add(name) }
        let before = try #require(try shell.contents("home/secrets"))
        #expect(await shell.run("delete", "2", "--purge").code == 0)
        #expect(try !kept("purged"))
        // As a kill leaves it between the two.
        try shell.write("home/secrets", before)
        #expect(await shell.run("delete", "3").code == 0)
        #expect(await shell.run("delete", "4", "--keep-file").code == 0)
        #expect(await shell.run("compact", "--dry-run").code == 0)
        #expect(try kept("purged"))
        #expect(await shell.run("compact", "--keep-events", "0").code == 0)
        #expect(try kept("stays") && !kept("purged"))
        #expect(try kept("trashed") && kept("kept"), "what undo brings back needs its secrets")
        #expect(try shell.names(in: "home").filter { $0.hasPrefix("secrets") } == ["secrets"])
        await add("later")
        #expect(try kept("stays") && kept("later"))
    }
}
