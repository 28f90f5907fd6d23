import LedgerModel
import LedgerSystem
import LedgerTestSupport
import SystemPackage
import Testing

@testable import LedgerCommands

/// `import` of a log: what is refused, and what an import that was cut short leaves.
struct ImportLogTests {
    /// Three orders, and their log.
    private func exported() async throws -> (shell: Shell, lines: [String]) {
        let shell = try Shell()
        for name in ["x", "y", "z"] { #expect(await shell.run("add", "-d", "out", "http://a/\(name)").code == 0) }
        return (shell, await shell.run("export", "-q").lines.map(String.init))
    }

    private func environment(_ shell: Shell) -> [String: String] { ["LEDGER_HOME": shell.directory.string + "/other"] }

    @Test func `a file that was cut or changed is refused with its line, and nothing is there`() async throws {
        let (shell, lines) = try await exported()
        #expect(lines.count == 5)
        func edited(_ index: Int, _ old: String, _ new: String) -> [String] {
            var changed = lines
            #expect(changed[index].contains(old))
            changed[index] = changed[index].replacing(old, with: new)
            return changed
        }
        let rows: [(lines: [String], words: String)] = [
            (Array(lines.dropLast()), "line 4 of 'log': its last line is missing: the file was cut"),
            (Array(lines.dropLast()) + [String(lines[4].dropLast(9))], "line 5 of 'log': "),
            ([lines[0], lines[1], lines[3], lines[4]], "line 3 of 'log': event 2 should stand here"),
            (Array(lines[...1]) + Array(lines[1...]), "line 3 of 'log': event 2 should stand here"),
            (lines + [lines[1]], "line 6 of 'log': something follows its last line"),
            (edited(2, "http://a/y", "http://b/y"), "line 5 of 'log': its events make the state sha-256:"),
            (edited(2, "http://a/y", "ftp://a/y"), "line 3 of 'log': it is not what a log can hold: "),
            (edited(2, #""type":"enqueued""#, #""type":"vanished""#), "line 3 of 'log': the type 'vanished' is not"),
            (edited(2, #""actor":"cli""#, #""actor":"cli","more":1"#), "line 3 of 'log': it holds what 'enqueued' "),
            (
                edited(4, #""events":3"#, #""events":4"#),
                "line 5 of 'log': its last line counts 4 events and 0 gaps up to 3, and 3 and 0 up"
            ),
            (edited(0, #""format":1"#, #""format":2"#), "line 1 of 'log': the file is of format 2"),
            (
                [
                    lines[0],
                    #"{"seq":1,"time":"2026-01-01T00:00:00.000Z","type":"paused","version":1,"id":9,"#
                        + #""actor":"cli","command":null}"#,
                ], "line 2 of 'log': it is about a download that no event before it enqueued"
            ),
        ]
        for row in rows {
            try shell.write("log", Array(row.lines.joined(separator: "\n").utf8))
            let result = await shell.run("import", "log", environment: environment(shell))
            #expect(result.code == 64, "\(row.words): \(result.errors)")
            #expect(result.errors.contains(row.words), "\(row.words): \(result.errors)")
            #expect(try shell.names(in: "").filter { $0.hasPrefix("other") } == [])
        }
        try shell.write("log", Array(lines.joined(separator: "\r\n").utf8))
        #expect(await shell.run("import", "log", environment: environment(shell)).code == 0)
        #expect(await shell.run("import", "log", "log").code == 64)
        #expect(await shell.run("import", "log", "-d", "x").code == 64)
    }

    @Test func `gaps stay gaps: sequences and state are the same`() async throws {
        let (shell, lines) = try await exported()
        let gap = [lines[0], lines[1], #"{"seq":2,"type":"gap"}"#, lines[3], lines[4]]
        let text = gap.joined(separator: "\n")
        let refused = await shell.run("import", "-", input: text, environment: environment(shell))
        #expect(
            refused.code == 64
                && refused.errors.contains("counts 3 events and 0 gaps up to 3, and 2 and 1 up to 3 stand in it"))
        let summary = lines[4].replacing(#""events":3,"gaps":0"#, with: #""events":2,"gaps":1"#)
        let changed = (gap.dropLast() + [summary]).joined(separator: "\n")
        let other = await shell.run("import", "-", input: changed, environment: environment(shell))
        let digest = try #require(other.errors.split(separator: " ").first { $0.hasPrefix("sha-256:") }?.dropLast())
        let start = try #require(summary.firstRange(of: "sha-256:")?.lowerBound)
        let right = String(summary[..<start]) + String(digest) + "\"}}"
        let whole = (gap.dropLast() + [right]).joined(separator: "\n")
        let made = await shell.run("import", "-", input: whole, environment: environment(shell))
        #expect(made.code == 0, "\(made.errors)")
        #expect(await shell.run("list", "--json", environment: environment(shell)).lines.count == 2)
        let again = await shell.run("export", "-q", environment: environment(shell))
        #expect(again.lines.dropFirst().dropLast().map(String.init) == [lines[1], gap[2], lines[3]])
        #expect(await shell.run("verify", environment: environment(shell)).code == 0)
        #expect(await shell.run("add", "http://a/more", environment: environment(shell)).output == "4\n")
    }

    @Test func `what an import that was killed left is no ledger, and the next one begins anew`() async throws {
        let (shell, lines) = try await exported()
        let (other, text) = (environment(shell), lines.joined(separator: "\n"))
        // Killed while it wrote: a ledger of some of the events stands beside the home.
        let beside = ["LEDGER_HOME": shell.directory.string + "/other.importing"]
        #expect(await shell.run("add", "-d", "out", "http://a/part", environment: beside).code == 0)
        try shell.write("other.importing/importing", [])
        #expect(await shell.run("list", environment: other).code == 10)
        #expect(await shell.run("import", "-", input: text, environment: other).code == 0)
        #expect(await shell.run("list", "--json", environment: other).lines.count == 3)
        #expect(try shell.names(in: "").filter { $0.hasPrefix("other") } == ["other"])
    }

    @Test func `an empty ledger gives way, and its configuration stays`() async throws {
        let (shell, lines) = try await exported()
        let (other, text) = (environment(shell), lines.joined(separator: "\n"))
        try RealFileSystem().createDirectory(shell.directory.appending("other"), permissions: 0o700)
        try shell.write("other/config.yaml", Array("jobs: 2\n".utf8))
        #expect(await shell.run("run", "--until-idle", "-q", environment: other).code == 0)
        let made = await shell.run("import", "-", input: text, environment: other)
        #expect(made.code == 0, "\(made.errors)")
        #expect(await shell.run("list", "--json", environment: other).lines.count == 3)
        #expect(try shell.contents("other/config.yaml") == Array("jobs: 2\n".utf8))
        // Cut between its two renames, the empty home stands beside; the next import puts it back and goes on.
        let files = RealFileSystem()
        try files.removeTree(shell.directory.appending("other"))
        try files.createDirectory(shell.directory.appending("other.replaced"), permissions: 0o700)
        try shell.write("other.replaced/config.yaml", Array("jobs: 3\n".utf8))
        #expect(await shell.run("import", "-", input: text, environment: other).code == 0)
        #expect(try shell.contents("other/config.yaml") == Array("jobs: 3\n".utf8))
        #expect(try shell.names(in: "").filter { $0.hasPrefix("other") } == ["other"])
        // What is not ours is not touched.
        try files.removeTree(shell.directory.appending("other"))
        try files.createDirectory(shell.directory.appending("other"), permissions: 0o700)
        try shell.write("other/letter.txt", [65])
        let refused = await shell.run("import", "-", input: text, environment: other)
        #expect(refused.code == 1 && refused.errors.contains("it holds 'letter.txt'"), "\(refused.errors)")
        #expect(try shell.names(in: "other") == ["letter.txt"])
    }
}
