import LedgerModel
import LedgerTestSupport
import SystemPackage
import Testing

@testable import LedgerCommands
@testable import LedgerLog

@Suite(.timeLimit(.minutes(30))) struct RedactTests {
    private static let word = "very-private"

    /// Downloads 1 to 4, of which the second is the one to forget: changed, archived by a compaction, moved, deleted.
    private func shell(isDeleted: Bool = true) async throws -> Shell {
        let shell = try Shell()
        for name in ["w", "\(Self.word)/x", "y", "z"] { #expect(await shell.run("add", "http://a/\(name)").code == 0) }
        #expect(await shell.run("pause", "2").code == 0)
        #expect(await shell.run("compact", "--keep-events", "0").code == 0)
        #expect(await shell.run("change", "2", "--url", "http://b/\(Self.word)").code == 0)
        #expect(await shell.run("compact", "--keep-events", "100").code == 0)
        #expect(await shell.run("move", "2", "--to", "first").code == 0)
        if isDeleted { #expect(await shell.run("delete", "2").code == 0) }
        return shell
    }

    /// The files below the home that hold the word, unpacked where they are packed.
    private func holders(_ shell: Shell, _ home: String = "home") throws -> [String] {
        var found: [String] = []
        for directory in ["log", "snapshots", "archive"] {
            for name in try shell.names(in: "\(home)/\(directory)") {
                let bytes = try #require(try shell.contents("\(home)/\(directory)/\(name)"))
                // So short a segment is one member.
                let plain = name.hasSuffix(".gz") ? try #require(GzipMember.unpack(bytes)) : bytes
                if plain.contains(Array(Self.word.utf8)) { found.append("\(directory)/\(name)") }
            }
        }
        return found
    }

    @Test func `nothing is left of it in log, archive and snapshots, and every root stays`() async throws {
        let shell = try await shell()
        #expect(try Set(holders(shell).map { $0.prefix(3) }) == ["log", "sna", "arc"], "the test means something")
        let checkpoint = await shell.run("checkpoint").output
        try shell.write("kept", Array(checkpoint.utf8))
        let others = await shell.run("list", "--json").lines.filter { !$0.contains(#""id":2,"#) }
        let redact = await shell.run("redact", "--id", "2", "--reason", "asked for", "--yes")
        #expect(redact.code == 0, "\(redact.errors)")
        #expect(redact.output.hasPrefix("1 download (2) redacted: the content of 5 records left "), "\(redact.output)")
        #expect(try holders(shell) == [])
        #expect(await shell.run("list", "--json").lines == others)
        for flags in [[], ["--archive"], ["--against", "kept"]] {
            let verify = await shell.run(["verify"] + flags)
            #expect(verify.code == 0, "\(verify.output)\(verify.errors)")
        }
        #expect(await shell.run("replay", "--check").code == 0)
        let events = await shell.run("replay", "--json", "--id", "2")
        #expect(events.lines.count == 1 && events.output.contains(#""type":"redacted""#), "\(events.output)")
        #expect(events.output.contains("asked for"))
        #expect(await shell.run("show", "2").code == 1)
        let gone = await shell.run("explain", "2")
        #expect(gone.code == 1 && gone.errors.hasPrefix("not-found: download 2 was redacted by event "))
        #expect(gone.errors.contains("asked for"))
        // What others did is still there to look at, before and after it.
        for at in ["4", "6", "9"] {
            let past = await shell.run("list", "--at", at, "--json")
            #expect(past.code == 0 && past.lines.count == 3, "\(past.output)\(past.errors)")
        }
        #expect(await shell.run("add", "http://a/later").code == 0)
        #expect(await shell.run("verify").code == 0)
    }

    @Test func `a text names downloads, and all of them must be deleted`() async throws {
        let shell = try await shell(isDeleted: false)
        let early = await shell.run("redact", "--match", Self.word, "--yes")
        #expect(early.code == 1 && early.errors.contains("download 2 is not deleted"), "\(early.errors)")
        #expect(await shell.run("delete", "2").code == 0)
        let dry = await shell.run("redact", "--match", Self.word, "--dry-run", "--json")
        #expect(dry.code == 0 && dry.output.hasPrefix(#"{"summary":{"ids":[2],"records":5,"#), "\(dry.output)")
        #expect(try !holders(shell).isEmpty)
        #expect(await shell.run("redact", "--match", Self.word).code == 64, "there is no terminal to ask on")
        #expect(await shell.run("redact", "--match", Self.word, "--yes").code == 0)
        #expect(try holders(shell) == [])
        let again = await shell.run("redact", "--match", Self.word, "--yes")
        #expect(again.code == 0 && again.output == "nothing to redact: no record tells of it\n")
        #expect(await shell.run("redact", "--id", "77", "--yes").code == 1)
        #expect(await shell.run("redact").code == 64)
        #expect(await shell.run("redact", "--match", "").code == 64)
    }

    @Test func `a file in the trash is removed for good first, by its number and not with all`() async throws {
        let shell = try Shell()
        let origin = try await OriginServer.start()
        origin.serve("/x", OriginEntity(OriginEntity.pattern(2_000)))
        let url = try origin.url("/x").text
        #expect(await shell.run("get", "-q", "-d", shell.directory.string + "/out", url).code == 0)
        try await origin.stop()
        #expect(await shell.run("delete", "1").code == 0)
        let early = await shell.run("redact", "--id", "1", "--yes")
        #expect(early.code == 1 && early.errors.contains("'ledger delete --purge 1'"), "\(early.errors)")
        #expect(await shell.run("delete", "--purge", "--all").code == 0)
        #expect(try shell.names(in: "home/trash").count == 1)
        #expect(await shell.run("delete", "--purge", "1").code == 0)
        #expect(try shell.names(in: "home/trash").isEmpty)
        #expect(await shell.run("delete", "--purge", "1").code == 1)
        #expect(await shell.run("undo").code == 1)
        #expect(await shell.run("redact", "--id", "1", "--yes").code == 0)
    }

    @Test func `what only a snapshot holds is found, by what is shown too, and what a kill left behind`() async throws {
        let shell = try Shell()
        let name = "c%C3%B6d%C3%A9%20" + Self.word
        for name in ["w", name] { #expect(await shell.run("add", "http://a/" + name).code == 0) }
        #expect(await shell.run("delete", "--keep-file", "2").code == 0)
        #expect(await shell.run("compact", "--drop", "--keep-events", "0").code == 0)
        let snapshot = "home/snapshots/" + (try #require(try shell.names(in: "home/snapshots").last))
        let held = try #require(try shell.contents(snapshot))
        let dry = await shell.run("redact", "--match", "cödé " + Self.word, "--dry-run", "--json")
        #expect(dry.output.hasPrefix(#"{"summary":{"ids":[2],"records":0,"segments":0,"archived":0,"snapshots":1,"#))
        #expect(await shell.run("redact", "--match", Self.word, "--yes").code == 0)
        #expect(try holders(shell) == [])
        // As a kill would have left it, before the snapshots were written anew.
        try shell.write(snapshot, held)
        #expect(try !holders(shell).isEmpty)
        #expect(await shell.run("redact", "--match", Self.word, "--yes").code == 0)
        #expect(try holders(shell) == [])
    }

    @Test func `a check folds what is left, and sees a snapshot that was changed`() async throws {
        let shell = try await shell()
        #expect(await shell.run("redact", "--id", "2", "--yes").code == 0)
        let check = await shell.run("replay", "--check", "--json")
        #expect(check.code == 0 && check.output.contains(#""from":1,"#), "\(check.output)")
        let words = await shell.run("replay", "--check").output
        let held = await shell.run("replay", "--state", "digest").output.split { " \n".contains($0) }.last ?? "none"
        #expect(words.contains("\nnote: what was redacted is counted on by the state that the ledger opens with"))
        #expect(words.contains(held + " there"), "\(held) in \(words)")
        let path = "home/snapshots/" + (try #require(try shell.names(in: "home/snapshots").last))
        var bytes = try #require(try shell.contents(path))
        let place = try #require(bytes.firstRange(of: Array("http://a/y".utf8))?.lowerBound)
        bytes[place + 9] = UInt8(ascii: "Y")
        bytes.removeLast(32)
        TreeHash.sha256(bytes.span).append(to: &bytes)
        try shell.write(path, bytes)
        #expect(await shell.run("list").output.contains("  Y"))
        let forged = await shell.run("replay", "--check")
        #expect(forged.code == 22, "\(forged.output)")
    }

    @Test func `a backup that is made again holds it no longer`() async throws {
        let shell = try await shell()
        let backup = ["backup", shell.directory.string + "/copy"]
        #expect(await shell.run(backup).code == 0)
        #expect(try !holders(shell, "copy").isEmpty)
        #expect(await shell.run("redact", "--id", "2", "--yes").code == 0)
        let again = await shell.run(backup)
        #expect(again.code == 0, "\(again.errors)")
        #expect(try holders(shell, "copy") == [])
        #expect(await shell.run("verify", environment: ["LEDGER_HOME": shell.directory.string + "/copy"]).code == 0)
    }

    @Test func `a copy that was away is told, and done when it is back`() async throws {
        let shell = try await shell()
        let name = try #require(try shell.names(in: "home/archive").first)
        let copy = try #require(try shell.contents("home/archive/" + name))
        try shell.removeFile("home/archive/" + name)
        let redact = await shell.run("redact", "--id", "2", "--yes")
        #expect(redact.code == 24 && redact.errors.contains("1 segment of the archive may still hold it"))
        let row = await shell.run("redact", "--id", "2", "--yes", "--json")
        #expect(row.code == 24 && row.lines.count == 1, "\(row.output)")
        try shell.write("home/archive/" + name, copy)
        #expect(try holders(shell) == ["archive/" + name])
        #expect(await shell.run("redact", "--id", "2", "--yes").code == 0)
        #expect(try holders(shell) == [])
        #expect(await shell.run("verify", "--archive").code == 0)
        #expect(await shell.run("replay", "--json", "--id", "2").lines.count == 1, "it is on record once")
    }

    @Test func `an export tells of gaps, and can be imported elsewhere`() async throws {
        let shell = try await shell()
        #expect(await shell.run("redact", "--id", "2", "--yes").code == 0)
        let export = await shell.run("export", "--format", "jsonl")
        #expect(export.code == 0 && export.lines.last?.contains(#""gaps":5"#) ?? false, "\(export.errors)")
        try shell.write("log.jsonl", Array(export.output.utf8))
        let elsewhere = ["LEDGER_HOME": shell.directory.string + "/other"]
        let imported = await shell.run("import", "log.jsonl", environment: elsewhere)
        #expect(imported.code == 0, "\(imported.errors)")
        #expect(await shell.run("list", "--json", environment: elsewhere).lines.count == 3)
        #expect(await shell.run("verify", environment: elsewhere).code == 0)
    }
}
