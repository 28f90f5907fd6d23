import LedgerAPI
import LedgerModel
import LedgerSystem
import LedgerTestSupport
import SystemPackage
import Testing

@testable import LedgerCommands

/// `export`: the whole log as JSON, the rows as CSV and SQLite.
struct ExportTests {
    /// Downloads with labels, a secret, a completed file, and what was done to them.
    private func shell() async throws -> Shell {
        let (shell, origin) = (try Shell(), try await OriginServer.start())
        let file = OriginEntity(OriginEntity.pattern(5_000))
        origin.on("/a.bin") { file.reply(to: $0) }
        #expect(await shell.run("get", "-q", "-d", "out", try origin.url("/a.bin").text).code == 0)
        try await origin.stop()
        let labels = ["--group", "pod, \"cast\"", "--title", "=1+2", "--tag", "x", "--tag", "y"]
        #expect(await shell.run(["add", "-d", "out", "http://u:hidden@a/secret?token=hush"] + labels).code == 0)
        #expect(await shell.run("add", "-d", "out", "-H", "X-Key: hush", "--priority", "-3", "http://a/z").code == 0)
        #expect(await shell.run("delete", "1").code == 0)
        return shell
    }

    @Test func `what is no file of ours is not replaced, and JSON stays alone on standard output`() async throws {
        let shell = try Shell()
        #expect(await shell.run("add", "http://a/x").code == 0)
        for format in ["csv", "sqlite", "jsonl"] {
            let refused = await shell.run("export", "--format", format, "-o", "home", "--overwrite")
            #expect(refused.code == 64 && refused.errors.contains("no file that could be replaced"), "\(refused)")
        }
        #expect(await shell.run("list").code == 0)
        #expect(await shell.run("export", "--format", "csv", "--json").code == 64)
        #expect(await shell.run("export", "--format", "csv", "--json", "-o", "-").code == 64)
        try shell.write("rows.new", [1])
        #expect(await shell.run("export", "-o", "rows").code == 0)
        #expect(try shell.contents("rows.new") == [1])
        #expect(try shell.names(in: "").sorted() == ["home", "rows", "rows.new"])
    }

    @Test func `an exported log makes a ledger of the same events and the same digest, and holds no secret`()
        async throws
    {
        let shell = try await shell()
        let digest = await shell.run("replay", "--state", "digest", "--json").output
        let export = await shell.run("export")
        #expect(export.code == 0, "\(export.errors)")
        #expect(export.lines.first?.hasPrefix(#"{"export":{"format":1,"ledger":""#) ?? false)
        #expect(export.lines.last?.hasPrefix(#"{"summary":{"events":"#) ?? false)
        for secret in ["hush", "hidden"] { #expect(!export.output.contains(secret), "\(secret)") }
        let events = await shell.run("replay", "--json", "-q").output
        #expect(export.lines.dropFirst().dropLast().joined(separator: "\n") + "\n" == events)

        let other = ["LEDGER_HOME": shell.directory.string + "/other"]
        let dry = await shell.run("import", "-", "--dry-run", input: export.output, environment: other)
        #expect(dry.code == 0 && dry.output.contains(" would be imported, digest sha-256:"), "\(dry)")
        #expect(await shell.run("list", environment: other).code == 10, "nothing was made")
        let made = await shell.run("import", "-", input: export.output, environment: other)
        #expect(made.code == 0 && made.output.contains(" imported, digest sha-256:"), "\(made)")
        #expect(await shell.run("replay", "--state", "digest", "--json", environment: other).output == digest)
        #expect(await shell.run("replay", "--json", "-q", environment: other).output == events)
        #expect(await shell.run("verify", environment: other).code == 0)
        #expect(try shell.names(in: "").filter { $0.hasPrefix("other") } == ["other"])
        // The new ledger is another one: its identity goes into every leaf.
        let again = await shell.run("export", environment: other)
        #expect(again.lines.dropFirst().dropLast() == export.lines.dropFirst().dropLast())
        #expect(again.lines.first != export.lines.first)
        let full = await shell.run("import", "-", input: export.output, environment: other)
        #expect(full.code == 1 && full.errors.contains("is not empty: it holds "), "\(full.errors)")
        #expect(await shell.run("replay", "--json", "-q", environment: other).output == events)
    }

    @Test func `an import removes nothing that no import made, and follows a link to the home`() async throws {
        let shell = try await shell()
        let export = await shell.run("export").output
        let other = ["LEDGER_HOME": shell.directory.string + "/other"]
        func make(_ name: String) throws {
            let path = shell.directory.appending(FilePath(name).components)
            try RealFileSystem().createDirectory(path.removingLastComponent(), permissions: 0o700)
            try shell.write(name, [1])
        }
        for (neighbour, word) in [("other.importing/log", "no import made it"), ("other.replaced/mine", "'mine'")] {
            try make(neighbour)
            let refused = await shell.run("import", "-", input: export, environment: other)
            #expect(refused.code == 1 && refused.errors.contains(word), "\(refused.errors)")
            #expect(try shell.contents(neighbour) == [1])
            try RealFileSystem().removeTree(
                shell.directory.appending(FilePath(neighbour).removingLastComponent().components))
        }
        for kept in ["other/quarantine/1.cut", "other/log/mine", "other/mine/none"] {
            try make(kept)
            let refused = await shell.run("import", "-", input: export, environment: other)
            #expect(refused.code == 1 && refused.errors.contains("is not empty: it holds "), "\(refused.errors)")
            #expect(try shell.contents(kept) == [1])
            try RealFileSystem().removeTree(shell.directory.appending("other"))
        }
        try make("real/config.yaml")
        try shell.write("real/config.yaml", Array("jobs: 3\n".utf8))
        let (link, real) = (shell.directory.appending("link"), shell.directory.appending("real"))
        #expect(try await ChildProcess("/bin/ln", ["-s", real.string, link.string]).wait() == 0)
        let linked = await shell.run("import", "-", input: export, environment: ["LEDGER_HOME": link.string])
        #expect(linked.code == 0, "\(linked.errors)")
        #expect(try RealFileSystem().status(of: link)?.kind == .symbolicLink)
        #expect(try shell.names(in: "real").contains("config.yaml"))
        #expect(await shell.run("verify", environment: ["LEDGER_HOME": real.string]).code == 0)
    }

    @Test func `what the state does not tell of can not be changed either, and how lines are spaced is nothing`()
        async throws
    {
        let shell = try await shell()
        let export = await shell.run("export").output
        let other = ["LEDGER_HOME": shell.directory.string + "/other"]
        let changed = export.replacing(#""actor":"worker""#, with: #""actor":"feed""#)
        #expect(changed != export)
        let refused = await shell.run("import", "-", input: changed, environment: other)
        #expect(refused.code == 64 && refused.errors.contains("are not those that were exported"), "\(refused)")
        #expect(await shell.run("list", environment: other).code == 10, "nothing was made")

        let digest = /,"linesDigest":"sha-256:[0-9a-f]+"/
        let older = changed.replacing(digest, with: "")
        #expect(older != changed)
        let spaced = export.replacing(#"","#, with: "\" ,\t").replacing("\n", with: "\r\n\n")
        for (text, home) in [(older, "older"), (spaced, "spaced")] {
            let taken = await shell.run(
                "import", "-", input: text, environment: ["LEDGER_HOME": "\(shell.directory)/\(home)"])
            #expect(taken.code == 0, "\(taken)")
        }
    }

    @Test func `files longer than any disks together are no log`() async throws {
        let shell = try await shell()
        let export = await shell.run("export").output
        #expect(export.contains(#""length":5000,"#))
        let long = export.replacing(#""length":5000,"#, with: #""length":9223372036854775807,"#)
        let other = ["LEDGER_HOME": shell.directory.string + "/other"]
        let refused = await shell.run("import", "-", input: long, environment: other)
        #expect(refused.code == 64 && refused.errors.contains("longer together than any disks"), "\(refused)")
    }

    @Test func `a log can be exported as it was, and to a file, whole or not at all`() async throws {
        let shell = try await shell()
        let all = await shell.run("export", "-o", "log.jsonl")
        #expect(all.code == 0 && all.output == "", "\(all.errors)")
        let text = String(decoding: try #require(try shell.contents("log.jsonl")), as: UTF8.self)
        let printed = await shell.run("export", "-q").output
        #expect(text == printed)
        let taken = await shell.run("export", "-o", "log.jsonl", "--at", "1")
        #expect(taken.code == 1 && taken.errors.contains("is there already"), "\(taken.errors)")
        #expect(try shell.contents("log.jsonl") == Array(text.utf8))
        #expect(await shell.run("export", "-o", "log.jsonl", "--at", "1", "--overwrite").code == 0)
        let part = String(decoding: try #require(try shell.contents("log.jsonl")), as: UTF8.self)
        #expect(part.split(separator: "\n").count == 3)
        #expect(part.split(separator: "\n")[1] == text.split(separator: "\n")[1])
        #expect(try shell.names(in: "").filter { $0.hasSuffix(".new") } == [])
        #expect(await shell.run("export", "--at", "99").code == 1)
        #expect(await shell.run("export", "-o", "nowhere/log.jsonl").code == 74)
        let other = ["LEDGER_HOME": shell.directory.string + "/other"]
        let made = await shell.run("import", "log.jsonl", environment: other)
        #expect(made.code == 0, "\(made.errors)")
        let digest = await shell.run("replay", "--state", "digest", "--to", "1").output
        #expect(await shell.run("replay", "--state", "digest", environment: other).output == digest)
    }

    @Test func `an archive that is at hand is exported too, and one that was dropped is missed`() async throws {
        let shell = try await shell()
        let events = await shell.run("replay", "--json", "-q").output
        let early = await shell.run("list", "--at", "5", "--json")
        #expect(await shell.run("compact", "--keep-events", "0").code == 0)
        let whole = await shell.run("export")
        #expect(whole.code == 0 && whole.output.contains(events), "\(whole.errors)")
        #expect(await shell.run("add", "http://a/more").code == 0)
        #expect(await shell.run("compact", "--keep-events", "0", "--drop").code == 0)
        // What was archived before something was dropped is still there to be looked at.
        let past = await shell.run("list", "--at", "5", "--json")
        #expect(past.code == 0 && past.output == early.output && !early.lines.isEmpty, "\(past)")
        #expect(await shell.run("diff", "1", "5").code == 0)
        for name in try shell.names(in: "home/archive") { try shell.removeFile("home/archive/" + name) }
        let cut = await shell.run("export")
        #expect(cut.code == 24 && !cut.output.contains("summary"), "\(cut.errors)")
        #expect(await shell.run("export", "--format", "csv").code == 0)
    }

    @Test func `rows as CSV are as RFC 4180 has them, and no cell is a formula`() async throws {
        let shell = try await shell()
        let csv = await shell.run("export", "--format", "csv")
        #expect(csv.code == 0, "\(csv.errors)")
        let rows = csv.output.split(separator: "\r\n", omittingEmptySubsequences: false)
        #expect(rows.count == 4 && rows.last == "")
        #expect(rows[0] == RowColumn.all.map(\.name).joined(separator: ",")[...])
        #expect(rows[1].contains(#","pod, ""cast""",'=1+2,"#), "\(rows[1])")
        #expect(rows[1].contains(#","[""x"",""y""]",0,0,"#), "\(rows[1])")
        #expect(rows[2].contains(",-3,0,"), "\(rows[2])")
        let deleted = await shell.run("export", "--format", "csv", "--state", "deleted")
        #expect(deleted.output.split(separator: "\r\n").count == 2)
        #expect(await shell.run("export", "--state", "deleted").code == 64)
        #expect(CSVText.harmless("+1") == "'+1" && CSVText.harmless("-x") == "'-x" && CSVText.harmless("@x") == "'@x")
        #expect(CSVText.harmless("\tx") == "'\tx" && CSVText.harmless("1=2") == "1=2" && CSVText.harmless("") == "")
    }

    @Test func `rows wait for their hours as those of a list do`() async throws {
        let shell = try Shell()
        // Of two windows that leave no gap, one is closed at any time.
        for window in ["00:00-12:00", "12:00-00:00"] {
            #expect(await shell.run("add", "--window", window, "http://a/\(window)").code == 0)
        }
        let table = await shell.run("export", "--format", "csv", "--state", "waiting")
        #expect(table.code == 0 && table.output.split(separator: "\r\n").count == 2, "\(table.output)")
    }

    @Test func `the program sqlite3 reads the file, with the rows that list prints`() async throws {
        let shell = try await shell()
        let made = await shell.run("export", "--format", "sqlite", "-o", "ledger.db")
        #expect(made.code == 0, "\(made.errors)")
        func ask(_ question: String, of file: String = "ledger.db") async throws -> String {
            let path = shell.directory.string + "/" + file
            let program = try ChildProcess(
                FilePath("/bin/sh"), ["-c", "sqlite3 -batch '\(path)' \"$0\" > '\(path).txt' 2>&1", question],
                environment: ["PATH": "/usr/bin:/bin"], output: .discarded, errors: .inherited)
            _ = await program.wait()
            return String(decoding: try shell.contents(file + ".txt") ?? [], as: UTF8.self)
        }
        #expect(try await ask("PRAGMA integrity_check") == "ok\n")
        let rows = await shell.run("list", "--json").lines
        #expect(try await ask("SELECT count(*) FROM downloads") == "\(rows.count)\n")
        #expect(
            try await ask("SELECT state, title, \"group\", priority, tags FROM downloads ORDER BY id")
                == "queued|=1+2|pod, \"cast\"|0|[\"x\",\"y\"]\nqueued|||-3|[]\n")
        let last = await shell.run("replay", "--state", "digest", "--json").output
        let digest = try #require(last.split(separator: "\"").first { $0.hasPrefix("sha-256:") })
        #expect(try await ask("SELECT value FROM meta WHERE name = 'digest'") == digest + "\n")
        let verified = await shell.run("verify").output
        let root = try #require(verified.split(separator: " ").last)
        #expect(try await ask("SELECT value FROM meta WHERE name = 'root'") == String(root))
        #expect(await shell.run("export", "--format", "sqlite").code == 64)
        #expect(await shell.run("export", "--format", "sqlite", "-o", "ledger.db").code == 1)
        #expect(await shell.run("export", "--format", "sqlite", "-o", "then.db", "--at", "1").code == 0)
        #expect(try await ask("SELECT id, state FROM downloads", of: "then.db") == "1|queued\n")
        #expect(await shell.run("export", "--format", "sqlite", "-o", "no/where.db").code == 74)
    }
}
