import LedgerSystem
import SystemPackage
import Testing

@testable import LedgerCommands

/// `repair` as a person meets it.
struct RepairCommandTests {
    private static let segment = "home/log/0000000000000001.seg"

    /// Three downloads, the second of which is damaged in the log beyond what one bit explains.
    private func damaged() async throws -> Shell {
        let shell = try Shell()
        var ends: [Int] = []
        for name in ["x", "y", "z"] {
            #expect(await shell.run("add", "http://a/\(name)").code == 0)
            ends.append(try #require(try shell.contents(Self.segment)?.lastIndex { $0 != 0 }))
        }
        for place in ends[0] + 60..<ends[0] + 70 { try shell.damage(Self.segment, at: place, bits: 0x5a) }
        return shell
    }

    @Test func `nothing is cut before it is shown and said yes to`() async throws {
        let shell = try await damaged()
        let verify = await shell.run("verify")
        #expect(verify.code == 21 && verify.output.contains("'ledger repair --dry-run'"), "\(verify.output)")
        let held = try shell.contents(Self.segment)
        for (flags, answer, code) in [
            ([], nil, 64), (["--json"], nil, 64), ([], "n", 1), ([], "", 1), (["--dry-run"], nil, 0),
            (["--dry-run", "--json"], nil, 0),
        ] as [([String], String?, Int32)] {
            let result = await shell.run(["repair"] + flags, typed: answer.map { [$0] })
            #expect(result.code == code, "\(flags) \(answer ?? "-"): \(result.errors)")
            if flags.contains("--json") {
                #expect(result.lines.allSatisfy { $0.hasPrefix(#"{"summary":{"damaged":true,"repaired":false,"#) })
            } else {
                #expect(result.errors.contains("  before: up to event 3\n  after:  up to event 1, root "))
                #expect(result.errors.contains("  lost:   at least 2 events of what was recorded"))
            }
        }
        #expect(try shell.contents(Self.segment) == held)
    }

    @Test func `it cuts, keeps, says so in the log, and the ledger goes on`() async throws {
        let shell = try await damaged()
        let repair = await shell.run("repair", typed: ["y"])
        #expect(repair.code == 0, "\(repair.errors)")
        #expect(repair.errors.contains("Cut it off? [y/N] "))
        #expect(repair.output.hasPrefix("repaired: ") && repair.output.hasSuffix("; recorded as event 2\n"))
        #expect(await shell.run("verify").code == 0)
        let names = try shell.names(in: "home/quarantine")
        #expect(names.count == 2 && names[0].hasSuffix(".cut") && names[1].hasSuffix(".txt"), "\(names)")
        #expect(await shell.run("replay", "--type", "repaired").output.contains("cut: the batch at byte "))
        #expect(await shell.run("list", "--json").lines.count == 1)
        #expect(await shell.run("add", "http://a/later").output == "3\n")
        let again = await shell.run("repair", "--yes", "--json")
        #expect(again.code == 0)
        #expect(again.output.hasPrefix(#"{"summary":{"damaged":false,"repaired":false,"#), "\(again.output)")
    }

    @Test func `a log whose directory is gone begins anew, and says what is lost`() async throws {
        let shell = try Shell()
        for name in ["x", "y"] { #expect(await shell.run("add", "http://a/\(name)").code == 0) }
        for name in try shell.names(in: "home/log") { try shell.removeFile("home/log/" + name) }
        try RealFileSystem().removeDirectory(shell.home.appending("log"))
        #expect(await shell.run("verify").code == 24)
        let repair = await shell.run("repair", "--yes")
        #expect(repair.code == 0 && repair.errors.contains("  lost:   at least 2 events"), "\(repair.errors)")
        #expect(await shell.run("verify").code == 0)
        #expect(await shell.run("add", "http://a/z").code == 0)
    }

    @Test func `one bit that turned is turned back, and no event is lost`() async throws {
        let shell = try await damaged()
        #expect(await shell.run("repair", "--yes").code == 0)
        try shell.damage(Self.segment, at: 100, bits: 8)
        let repair = await shell.run("repair", "--yes", "--json")
        #expect(repair.code == 0, "\(repair.errors)")
        #expect(repair.output.contains(#""cutBytes":0,"mendedBytes":1,"lastBefore":2,"lastAfter":2,"#))
        #expect(await shell.run("verify").code == 0)
        #expect(await shell.run("list", "--json").lines.count == 1)
    }

    @Test func `a finished segment is put right beside the end, and said to be`() async throws {
        let shell = try Shell()
        for name in ["x", "y"] { #expect(await shell.run("add", "http://a/\(name)").code == 0) }
        _ = await shell.run("compact", "--keep-events", "100")
        #expect(await shell.run("add", "http://a/z").code == 0)
        let held = try #require(try shell.contents(Self.segment))
        for place in [100, held.count - 20, held.count - 19] { try shell.damage(Self.segment, at: place, bits: 8) }
        let verify = await shell.run("verify")
        #expect(verify.code == 21 && verify.output.contains("'ledger repair --dry-run'"), "\(verify.output)")
        let asked = await shell.run("repair", typed: ["n"])
        #expect(asked.code == 1 && asked.errors.contains("Do it? [y/N] "), "\(asked.errors)")
        #expect(asked.errors.contains("  mended: 1 byte and the seal of 'log/0000000000000001.seg', proven by its "))
        let repair = await shell.run("repair", "--yes")
        #expect(repair.code == 0 && repair.output.hasPrefix("repaired: 1 byte mended; 1 seal made anew; what was "))
        #expect(try shell.contents(Self.segment) == held)
        #expect(await shell.run("verify").code == 0)
        #expect(await shell.run("list", "--json").lines.count == 3)
    }

    @Test func `a repair that was cut short before it was recorded is recorded by the next`() async throws {
        let shell = try await damaged()
        #expect(await shell.run("repair", "--yes").code == 0)
        try shell.write("home/quarantine/pending", Array("2\n70\nthe batch is damaged\n".utf8))
        let record = await shell.run("repair", "--yes")
        #expect(record.code == 0 && record.output == "the repair is recorded: event 3\n", "\(record.output)")
        #expect(await shell.run("repair", "--yes").output.hasPrefix("nothing to repair"))
        try shell.write("home/quarantine/pending", Array("1\n70\nthe batch is damaged\n".utf8))
        #expect(await shell.run("repair", "--yes").code == 0)
        #expect(await shell.run("replay", "--type", "repaired", "--json").lines.count == 2, "it was on record already")
    }

    @Test func `what it can not mend it refuses with the code of the damage`() async throws {
        let shell = try Shell()
        #expect(await shell.run("repair").code == 10)
        #expect(await shell.run("add", "http://a/x", "http://a/w").code == 0)
        #expect(await shell.run("repair").output.hasPrefix("nothing to repair"))
        _ = await shell.run("compact", "--keep-events", "100")
        #expect(await shell.run("add", "http://a/y").code == 0)
        try shell.removeFile(Self.segment)
        let refused = await shell.run("repair", "--yes")
        #expect(refused.code == 24)
        #expect(refused.errors.contains("a repair puts single bits and seals right"), "\(refused.errors)")
    }
}
