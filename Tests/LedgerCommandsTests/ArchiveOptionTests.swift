import LedgerSystem
import SystemPackage
import Testing

@testable import LedgerCommands

/// Looks into an archive that was moved away.
struct ArchiveOptionTests {
    @Test func `every look into the past finds an archive that stands elsewhere`() async throws {
        let shell = try Shell()
        for name in ["x", "y", "z"] { #expect(await shell.run("add", "http://a/\(name)").code == 0) }
        #expect(await shell.run("pause", "2").code == 0)
        let looks = [
            ["replay", "--to", "3"], ["replay", "--state", "digest", "--to", "3"], ["list", "--at", "3"],
            ["show", "2", "--at", "3"], ["stats", "--at", "3"], ["diff", "2", "4"], ["explain", "2"],
            ["export", "--format", "jsonl"], ["proof", "--seq", "2"], ["replay", "--check"],
        ]
        var before: [Shell.Result] = []
        for look in looks { before.append(await shell.run(look)) }
        #expect(before.allSatisfy { $0.code == 0 })
        #expect(await shell.run("compact", "--keep-events", "0").code == 0)
        try RealFileSystem().createDirectory(shell.directory.appending("tapes"), permissions: 0o700)
        for name in try shell.names(in: "home/archive") {
            try shell.write("tapes/" + name, try #require(try shell.contents("home/archive/" + name)))
            try shell.removeFile("home/archive/" + name)
        }
        for (look, then) in zip(looks, before) {
            let now = await shell.run(look + ["--archive", "tapes"])
            #expect(now.code == 0, "\(look): \(now.errors)")
            // What ends at the log's end tells of the compaction, too.
            if look.contains("3") { #expect(now.output == then.output, "\(look)") }
        }
        shell.link("link", to: "tapes")
        for name in ["link", "~/tapes", "~/link"] {
            #expect(await shell.run("list", "--at", "3", "--archive", name).code == 0, "\(name)")
        }
        let without = await shell.run("list", "--at", "3")
        #expect(without.code == 24 && without.errors.contains("'--archive DIR'"), "\(without.errors)")
        #expect(without.errors.contains("'0000000000000001.seg.gz' is not in the archive"), "\(without.errors)")
        #expect(await shell.run("list", "--at", "3", "--archive", "nowhere").code == 64)
    }

    @Test func `what is named as missing is what holds what was asked for`() async throws {
        let shell = try Shell()
        for name in ["a", "b", "c"] {
            #expect(await shell.run("add", "http://a/\(name)").code == 0)
            #expect(await shell.run("compact", "--keep-events", "0").code == 0)
        }
        let names = try shell.names(in: "home/archive").sorted()
        try #require(names.count == 2)
        let contents = try names.map { try #require(try shell.contents("home/archive/" + $0)) }
        for name in names { try shell.removeFile("home/archive/" + name) }
        let first = await shell.run("list", "--at", "1")
        #expect(first.code == 24 && first.errors.contains(", and '\(names[0])' is not in the"), "\(first.errors)")
        let third = await shell.run("list", "--at", "3")
        #expect(third.errors.contains(", and '\(names[0])', '\(names[1])' are not in the archive"), "\(third.errors)")
        let rest = await shell.run("replay")
        #expect(rest.code == 24 && rest.output.contains("verified: "), "\(rest.output)")
        #expect(rest.errors.contains(", and '\(names[0])', '\(names[1])' are not in the archive"), "\(rest.errors)")
        let part = await shell.run("replay", "--from", "3", "--to", "4")
        #expect(part.code == 24 && part.errors.contains(", and '\(names[1])' is not in the"), "\(part.errors)")
        try shell.write("home/archive/" + names[0], contents[0])
        #expect(await shell.run("list", "--at", "1").code == 0)
    }

    @Test func `an archive alone is read to its end, and is no home to write to`() async throws {
        let shell = try Shell()
        for _ in 0..<2 {
            for name in ["x", "y"] { #expect(await shell.run("add", "--again", "http://a/\(name)").code == 0) }
            #expect(await shell.run("compact", "--keep-events", "0").code == 0)
        }
        let alone = ["LEDGER_HOME": shell.home.string + "/archive"]
        let names = try shell.names(in: "home/archive")
        #expect(names.count == 2)
        let replay = await shell.run("replay", environment: alone)
        #expect(replay.code == 0 && replay.output.contains("compacted"), "\(replay.errors)")
        #expect(replay.errors.contains("verified: 5 events, root ") || replay.output.contains("verified: 5 events"))
        for look in [["replay", "--state", "digest", "--to", "4"], ["list", "--at", "2", "--json"]] {
            let (then, now) = (await shell.run(look, environment: alone), await shell.run(look))
            #expect(then.code == 0 && then.output == now.output, "\(look): \(then.errors)")
        }
        for command in [["add", "http://a/z"], ["run", "--until-idle"], ["compact"], ["verify"], ["checkpoint"]] {
            let refused = await shell.run(command, environment: alone)
            #expect(refused.code == 10 && refused.errors.contains("is an archive"), "\(command): \(refused.errors)")
        }
        #expect(try shell.names(in: "home/archive") == names, "nothing was made there")
        // Without the first one, or with a byte that turned, it is not shown as whole.
        try shell.damage("home/archive/" + names[1])
        #expect(await shell.run("replay", environment: alone).code == 21)
        try shell.removeFile("home/archive/" + names[0])
        #expect(await shell.run("replay", environment: alone).code == 24)
    }
}
