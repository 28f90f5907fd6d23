import LedgerModel
import LedgerTestSupport
import SystemPackage
import Testing

@testable import LedgerCommands

/// `replay --step`, `--raw` and `--check`.
struct ReplayLooksTests {
    /// Two orders, the first paused: events 1 to 3.
    private func shell() async throws -> Shell {
        let shell = try Shell()
        for name in ["x", "y"] { #expect(await shell.run("add", "http://a/\(name)").code == 0) }
        #expect(await shell.run("pause", "1").code == 0)
        return shell
    }

    @Test func `without a terminal step shows each event with the row after it, and does not wait`() async throws {
        let shell = try await shell()
        let step = await shell.run("replay", "--step")
        let replay = await shell.run("replay")
        #expect(step.code == 0 && step.lines.last == replay.lines.last)
        #expect(step.output.contains("          + 1  queued  x  http://a/x\n"), "\(step.output)")
        #expect(step.output.contains("          ~ 1  paused  x\n              state  queued -> paused\n"))
        let json = await shell.run("replay", "--step", "--json", "--id", "1")
        #expect(json.lines.count == 2 && json.lines[1].hasPrefix(#"{"seq":3,"#))
        #expect(json.lines[1].contains(#""row":{"id":1,"#) && json.lines[1].contains(#""state":"paused""#))
        let part = await shell.run("replay", "--step", "--from", "3")
        #expect(part.lines.count == 4 && part.output.contains("state  queued -> paused"))
    }

    @Test func `on a terminal Enter goes on and q ends`() async throws {
        let shell = try await shell()
        let one = await shell.run(["replay", "--step"], typed: ["", "q", ""])
        #expect(one.code == 0 && one.lines.count == 4 && one.output.contains("+ 2  queued  y"), "\(one.output)")
        #expect(!one.output.contains("verified"))
        let all = await shell.run(["replay", "--step"], typed: ["", ""])
        #expect(all.output.contains("\nverified: 3 events, root ") && all.errors.contains("Enter: the next, q: end"))
    }

    @Test func `raw shows every record in its place, as bytes, and seals`() async throws {
        let shell = try await shell()
        #expect(await shell.run("compact", "--keep-events", "100").code == 0)
        let raw = await shell.run("replay", "--raw")
        #expect(raw.code == 0)
        #expect(raw.output.hasPrefix("0000000000000001.seg: "))
        #expect(raw.output.contains("\n         64  batch, ") && raw.output.contains(", events 1 to 1, root "))
        #expect(raw.output.contains("\n         96  event 1, ") && raw.output.contains(" enqueued (type 1) version "))
        #expect(raw.output.contains("  |") && raw.output.contains("  seal, "))
        let json = await shell.run("replay", "--raw", "--json", "--from", "2", "--to", "2")
        let records = json.lines.filter { $0.contains(#""raw":"record""#) }
        #expect(records.count == 1 && records[0].contains(#""seq":2,"#) && records[0].contains(#""type":"enqueued""#))
        #expect(json.lines.allSatisfy { $0.hasPrefix(#"{"raw":""#) })
        #expect(await shell.run("replay", "--raw", "--id", "1").code == 64)
        #expect(await (try Shell()).run("replay", "--raw").code == 10)
    }

    @Test func `raw carries on past damage, says where and how many bytes, and ends as verify does`() async throws {
        let shell = try await shell()
        let segment = "home/log/0000000000000001.seg"
        try shell.damage(segment, at: 120)
        let raw = await shell.run("replay", "--raw")
        #expect(raw.code == 21)
        #expect(raw.output.contains("\n         64  damage, "), "\(raw.output)")
        #expect(raw.output.contains(": the batch fails its checksum"))
        #expect(raw.output.contains(", events 2 to 2, root ") && raw.output.contains(", events 3 to 3, root "))
        #expect(raw.errors.contains(" are nothing whole\n"))
    }

    @Test func `check says who agrees, and ends as replay does`() async throws {
        let shell = try await shell()
        let check = await shell.run("replay", "--check")
        #expect(check.code == 0 && check.output.contains("agrees: the state that the ledger opens with, event 3\n"))
        #expect(check.lines.last == (await shell.run("replay")).lines.last)
        let digest = try #require(await shell.run("replay", "--state", "digest").lines.last)
        #expect(check.output.contains("\n\(digest)\n"))
        let json = await shell.run("replay", "--check", "--json")
        #expect(json.lines.count == 1 && json.output.hasPrefix(#"{"summary":{"events":3,"from":1,"last":3,"#))
        #expect(json.output.hasSuffix(#""divergence":null}}"# + "\n"))
    }

    @Test func `check folds a compacted ledger from its snapshot on, and tells a snapshot that can not be read`()
        async throws
    {
        let shell = try await shell()
        #expect(await shell.run("compact", "--drop", "--keep-events", "0").code == 0)
        let check = await shell.run("replay", "--check")
        #expect(check.code == 0 && check.lines.last?.hasPrefix("verified: 1 event, 4 to 4, root ") ?? false)
        try shell.write("home/snapshots/0000000000000004.snap", [1, 2, 3])
        let damaged = await shell.run("replay", "--check")
        #expect(damaged.code == 0, "\(damaged.output)")
        #expect(damaged.output.contains("damaged-copy: the snapshot at event 4 can not be read\n"))
    }

    @Test func `check tells a snapshot that stands for what left the log, and is damaged or gone`() async throws {
        let shell = try await shell()
        // The archive has all of it: the ledger opens without the snapshot.
        #expect(await shell.run("compact", "--keep-events", "0").code == 0)
        let names = try shell.names(in: "home/snapshots")
        try #require(names.count == 1, "\(names)")
        try shell.damage("home/snapshots/" + names[0])
        for code in [Int32(21), 24] {
            let check = await shell.run("replay", "--check")
            #expect(check.code == code && check.output.contains("snapshot '\(names[0])' is "), "\(check.output)")
            #expect(check.lines.last?.hasPrefix("damaged: ") ?? false)
            #expect(await shell.run("verify").code == code)
            if code == 21 { try shell.removeFile("home/snapshots/" + names[0]) }
        }
    }

    @Test func `raw shows what a compaction took into the archive, unpacked, and carries on past what can not be`()
        async throws
    {
        let shell = try await shell()
        let before = await shell.run("replay", "--raw", "--json", "--from", "2", "--to", "2").output
        #expect(await shell.run("compact", "--keep-events", "0").code == 0)
        let after = await shell.run("replay", "--raw", "--json", "--from", "2", "--to", "2")
        let record = try #require(before.split(separator: "\n").first { $0.contains(#""seq":2,"#) })
        let payload = try #require(record.split(separator: #""payload":""#).last)
        #expect(after.code == 0 && after.output.contains(payload), "\(after.output)")
        let alone = ["LEDGER_HOME": shell.home.string + "/archive"]
        #expect(await shell.run(["replay", "--raw"], environment: alone).code == 0)
        let name = "home/archive/" + (try #require(try shell.names(in: "home/archive").first))
        try shell.damage(name)
        let damaged = await shell.run("replay", "--raw")
        #expect(
            damaged.code == 0 && damaged.output.contains("can not be unpacked"), "the log is whole: \(damaged.output)")
        #expect(damaged.output.contains("compacted (type "))
        #expect(await shell.run(["replay", "--raw"], environment: alone).code == 21)
    }

    @Test(.timeLimit(.minutes(30))) func `check compares with what a holder has in memory`() async throws {
        let (shell, gate) = (try Shell(), OriginGate())
        let file = OriginEntity(OriginEntity.pattern(20_000))
        let origin = try await OriginServer.start()
        origin.on("/a.bin") { request in
            var reply = file.reply(to: request)
            reply.steps = [reply.steps[0], .bytes(Array(file.bytes[..<9_000])), .gate(gate)]
            return reply
        }
        let url = try origin.url("/a.bin").text
        let (interrupts, interrupt) = AsyncStream.makeStream(of: Void.self)
        async let running = shell.run(["get", "-d", "out", url], interrupts: interrupts)
        await gate.reached()
        let check = await shell.run("replay", "--check")
        #expect(check.code == 0)
        #expect(check.output.contains("agrees: the state of the process that holds the ledger, event "))
        interrupt.yield()
        gate.open()
        _ = await running
        try await origin.stop()
    }

    @Test func `two ways to look at once are refused`() async throws {
        let shell = try await shell()
        for flags in [["--step", "--raw"], ["--check", "--follow"], ["--state", "digest", "--step"]] {
            #expect(await shell.run(["replay"] + flags).code == 64)
        }
        #expect(await shell.run("replay", "--check", "--to", "2").code == 64)
    }
}
