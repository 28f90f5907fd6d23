import LedgerModel
import LedgerSystem
import LedgerTestSupport
import SystemPackage
import Testing

@testable import LedgerCommands

/// `replay`: its last line, its bounds, and following a writer that comes and goes.
struct ReplayTests {
    private static let start = Timestamp(milliseconds: 1_795_000_000_000)

    /// Three orders, one event each, on a clock that stands: nothing takes long.
    private func shell() async throws -> Shell {
        let shell = try Shell(clock: ManualClock(Self.start))
        for name in ["x", "y", "z"] { #expect(await shell.run("add", "http://a/\(name)").code == 0) }
        return shell
    }

    private func root(_ shell: Shell) async throws -> String {
        let verify = await shell.run("verify")
        return String(try #require(verify.output.split(separator: " ").last).dropLast())
    }

    @Test func `the last line says what was verified, with the root that verify computes`() async throws {
        let shell = try await shell()
        let line = "verified: 3 events, root \(try await root(shell)), unacknowledged tail 0 bytes"
        let replay = await shell.run("replay")
        #expect(replay.lines.count == 4 && replay.errors == "")
        #expect(replay.output.hasSuffix("\n\(line)\n"))
        let filtered = await shell.run("replay", "--id", "2")
        #expect(filtered.lines.count == 2 && filtered.output.hasSuffix("\n\(line), shown 1 of 3\n"))
        let json = await shell.run("replay", "--json")
        #expect(json.lines.count == 3 && json.lines.allSatisfy { $0.hasPrefix(#"{"seq":"#) })
        #expect(json.errors == line + "\n")
        let quiet = await shell.run("replay", "-q")
        #expect(quiet.lines.count == 3 && quiet.errors == "")
        let last = await shell.run("replay", "--from", "3")
        #expect(last.lines.count == 2)
        #expect(last.output.hasSuffix("\n" + line.replacing("3 events", with: "1 event, 3 to 3") + "\n"))
        let part = await shell.run("replay", "--to", "2")
        #expect(part.lines.count == 3)
        #expect(part.lines.last?.hasPrefix("verified: 2 events, 1 to 2, root ") ?? false)
        #expect(part.lines.last?.hasSuffix(" after event 2") ?? false)
    }

    @Test func `what the log does not reach is an error and not the end`() async throws {
        let shell = try await shell()
        for arguments in [
            ["--to", "4"], ["--from", "4"], ["--from", "5", "--follow"], ["--state", "digest", "--to", "4"],
        ] {
            let result = await shell.run(["replay"] + arguments)
            #expect(result.code == 1 && result.output == "", "\(arguments)")
            #expect(result.errors.contains(" lies behind the end of the log\n  cause: the last event is 3\n"))
        }
        for arguments in [
            ["replay", "--to"], ["replay", "--from"], ["replay", "--state", "digest", "--to"], ["list", "--at"],
        ] {
            let result = await shell.run(arguments + ["2999-01-01"])
            #expect(result.code == 1 && result.output == "", "\(arguments)")
            #expect(result.errors.hasPrefix("not-found: 2999-01-01T00:00:00.000Z lies behind the end of the log\n"))
        }
        for (from, to) in [("3", "2"), ("2026-01-02", "2026-01-01")] {
            let result = await shell.run("replay", "--from", from, "--to", to)
            #expect(result.code == 64 && result.errors.contains("'--from' comes after '--to'"))
        }
        #expect(await shell.run("replay", "-q", "--from", "2000-01-01").lines.count == 3)
        #expect(await shell.run("replay", "-q", "--to", "2000-01-01").lines.count == 0)
        #expect(await shell.run("replay", "-q", "--to", "0").code == 0)
    }

    @Test func `a download that there never was is not there`() async throws {
        let shell = try await shell()
        let none = await shell.run("replay", "--id", "999", "--id", "1")
        #expect(none.code == 1 && none.errors.hasPrefix("not-found: there is no download 999"), "\(none.errors)")
        #expect(none.output.contains("enqueued"))
        #expect(await shell.run("replay", "--id", "1", "--from", "3").code == 0, "it is there, if not among these")
        #expect(await shell.run("replay", "--id", "1", "--type", "failed").code == 0)
    }

    @Test func `what was compacted away is an error, and without a beginning it is said`() async throws {
        let shell = try await shell()
        #expect(await shell.run("compact", "--drop", "--keep-events", "0").code == 0)
        for arguments in [
            ["--from", "1"], ["--from", "3"], ["--to", "2"], ["--to", "3"], ["--from", "2000-01-01"],
        ] {
            let result = await shell.run(["replay"] + arguments)
            #expect(result.code == 24 && result.output == "", "\(arguments): \(result.errors)")
            #expect(result.errors.contains(" was compacted away\n  cause: the log begins after event 3\n"))
        }
        let rest = await shell.run("replay")
        #expect(rest.code == 0 && rest.lines.count == 2)
        #expect(rest.lines.last?.hasPrefix("verified: 1 event, 4 to 4, root ") ?? false)
        #expect(rest.errors == "the log begins after event 3: what came before was compacted\n")
        #expect(await shell.run("replay", "-q", "--from", "4").lines.count == 1)
    }

    @Test func `a follower outlives a writer that is killed, its next one and a compaction, and ends on Ctrl-C`()
        async throws
    {
        let (shell, gate) = (try Shell(), OriginGate())
        let file = OriginEntity(OriginEntity.pattern(20_000))
        let origin = try await OriginServer.start()
        origin.script(
            "/a.bin",
            [
                { request in
                    var reply = file.reply(to: request)
                    reply.steps = [reply.steps[0], .bytes(Array(file.bytes[..<9_000])), .gate(gate)]
                    return reply
                }, { file.reply(to: $0) },
            ])
        #expect(await shell.run("add", "-d", "out", try origin.url("/a.bin").text).code == 0)
        let program = try CurrentProcess.executable().removingLastComponent().appending("ledger")
        let (types, type) = AsyncStream.makeStream(of: String.self)
        let (interrupts, interrupt) = AsyncStream.makeStream(of: Void.self)
        async let following = shell.run("replay", "--follow", "--json", interrupts: interrupts) { text in
            for line in text.split(separator: "\n") {
                type.yield(String(line.split(separator: #""type":""#).last?.prefix { $0 != "\"" } ?? ""))
            }
        }
        var seen = types.makeAsyncIterator()
        #expect(await seen.next() == "enqueued")
        let first = try ChildProcess(
            program, ["run", "-q"], environment: shell.processEnvironment, output: .discarded, errors: .inherited)
        await gate.reached()
        first.send(.kill)
        #expect(await first.wait() == 137)
        let second = try ChildProcess(
            program, ["run", "-q", "--until-idle"], environment: shell.processEnvironment, output: .discarded,
            errors: .inherited)
        #expect(await second.wait() == 0)
        while let next = await seen.next(), next != "completed" {}
        #expect(await shell.run("compact", "--keep-events", "0").code == 0)
        #expect(await seen.next() == "compacted")
        #expect(await shell.run("add", "http://a/later").code == 0)
        #expect(await seen.next() == "enqueued")
        interrupt.yield()
        let result = await following
        #expect(result.code == 0)
        #expect(result.errors.hasSuffix(" events, root \(try await root(shell)), unacknowledged tail 0 bytes\n"))
        let sequences = result.lines.compactMap { UInt64($0.dropFirst(7).prefix { $0 != "," }) }
        #expect(sequences == Array(1...UInt64(result.lines.count)))
        gate.open()
        try await origin.stop()
    }
}
