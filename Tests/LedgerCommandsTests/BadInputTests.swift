import LedgerHTTP
import LedgerSystem
import SystemPackage
import Testing

@testable import LedgerCommands

/// Bad input: each a sentence with the cause and the next step, and the right exit code.
struct BadInputTests {
    @Test func `a home without a ledger is exit code 10, and stays without one`() async throws {
        let shell = try Shell()
        for command in ["list", "pause", "replay", "undo", "compact", "verify", "keep"] {
            let result = ["pause", "keep"].contains(command) ? await shell.run(command, "1") : await shell.run(command)
            #expect(result.code == 10, "\(command): \(result.errors)")
            #expect(result.errors.hasPrefix("no-ledger: there is no ledger at '\(shell.home)'\n"))
        }
        let export = await shell.run("export", "-o", "all.jsonl")
        #expect(export.code == 10, "\(export.errors)")
        #expect(try shell.names(in: ".") == [])
    }

    @Test func `a file in the place of a home is no disk that fails`() async throws {
        let shell = try Shell()
        try shell.write("plain", [120, 10])
        for command in [["list"], ["add", "http://a/b"], ["verify"], ["run", "--until-idle"], ["limit"], ["undo"]] {
            for home in ["/plain", "/plain/below"] {
                let result = await shell.run(command, environment: ["LEDGER_HOME": shell.directory.string + home])
                #expect(result.code == 10 && result.errors.contains("is no directory"), "\(command): \(result.errors)")
            }
        }
        #expect(try shell.contents("plain") == [120, 10])
    }

    @Test func `wrong usage is exit code 64 and changes nothing`() async throws {
        let shell = try Shell()
        let mistakes: [[String]] = [
            ["add"], ["add", "ftp://a/b"], ["add", "not a url"], ["get", "http://a/x", "--limit-rate", "fast"],
            ["add", "http://a/x", "http://a/y", "-o", "one"], ["add", "http://a/x", "--overwrite", "--skip"],
            ["add", "http://a/x", "--checksum", "sha-256=12"], ["add", "-i", "missing.txt"], ["pause"],
            ["pause", "1", "--all"], ["move", "1"], ["list", "--state", "asleep"],
            ["add", "http://a/x", "http://a/y", "--mirror", "http://b/x"], ["replay", "--follow", "--to", "3"],
            ["frobnicate"], ["list", "--no-such-flag"], ["redact", "--id", "1", "--match", "x", "--yes"],
        ]
        for arguments in mistakes {
            let result = await shell.run(arguments)
            #expect(result.code == 64, "\(arguments): \(result.errors)")
            #expect(result.output == "" && !result.errors.isEmpty, "\(arguments)")
        }
        #expect(try shell.names(in: ".") == [])
    }

    @Test func `an empty value behind a sign takes nothing else for it`() async throws {
        let shell = try Shell()
        let add = await shell.run("add", "-q", "--group=", "http://a/x", "--tag=", "http://a/y")
        #expect(add.code == 0 && add.output == "1\n2\n", "\(add.errors)")
        let rows = await shell.run("list", "--json").lines
        #expect(rows.allSatisfy { $0.contains(#""group":null"#) && $0.contains(#""tags":[]"#) }, "\(rows)")
        #expect(await shell.run("list", "--limit=", "5").code == 64)
    }

    @Test func `nothing is written over what the ledger itself lives in`() async throws {
        let shell = try Shell()
        #expect(await shell.run("add", "http://127.0.0.1:9/x").code == 0)
        let segment = "home/log/0000000000000001.seg"
        for place in [segment, "home/manifest-a", "home/log/new", "home/trash/x", "home/config.yaml"] {
            for command in [
                ["export", "-o", place, "--overwrite"], ["add", "http://127.0.0.1:9/y", "-o", place, "--overwrite"],
                ["get", "http://127.0.0.1:9/y", "-o", place, "--overwrite"],
            ] {
                let result = await shell.run(command)
                #expect(result.code != 0 && result.errors.contains("' is the ledger's own\n"), "\(command)")
            }
        }
        #expect(await shell.run("add", "http://127.0.0.1:9/y", "-d", "home/log").code == 1)
        #expect(await shell.run("add", "http://127.0.0.1:9/y", "-d", "home").code == 0)
        #expect(await shell.run("export", "-o", "home/mine.jsonl").code == 0)
        #expect(await shell.run("verify").code == 0)
    }

    @Test func `a mistake in an input file names its line, and nothing of the file is enqueued`() async throws {
        let shell = try Shell()
        try shell.write("list.txt", Array("http://a/1\nhttp://b/2\n dir=/tmp\nftp://c/3\n".utf8))
        let result = await shell.run("add", "-i", "list.txt")
        #expect(result.code == 64)
        #expect(
            result.errors
                == "bad-url: line 4 of 'list.txt': 'ftp://c/3' can not be fetched: 'ftp' is not spoken here\n"
                + "  next:  look for the same file under http:// or https://\n")
        #expect(await shell.run("list").code == 10)
    }

    @Test func `a directory that can not be written to is found before anything is enqueued`() async throws {
        let shell = try Shell()
        try shell.write("file", [1])
        let result = await shell.run("add", "http://a/x", "-d", "file/below")
        #expect(result.code == 74)
        #expect(result.errors.hasPrefix("bad-destination: the directory '\(shell.directory)/file/below' can not be"))
        #expect(result.errors.hasSuffix("  next:  give another directory with '-d'\n"))
    }

    @Test func `a home held by a process that does not answer is exit code 11`() async throws {
        let shell = try Shell()
        #expect(await shell.run("add", "http://a/x").code == 0)
        let lock = try #require(try RealFileSystem().lock(shell.home.appending("ledger.lock")))
        let writing = [
            "add http://a/y", "get http://a/y", "run", "pause 1", "resume 1", "cancel 1", "retry 1",
            "move 1 --to first", "delete 1", "undo", "compact",
        ]
        for command in writing {
            let arguments = command.split(separator: " ").map { String($0) }
            let result = await shell.run(arguments, patience: .milliseconds(50), answerPatience: .milliseconds(50))
            #expect(result.code == 11, "\(command): \(result.errors)")
            let held = "held: another process holds the ledger at '\(shell.home)' and can not be reached\n"
            #expect(result.errors.contains(held), "\(command): \(result.errors)")
            #expect(result.errors.contains("  next:  'fuser \(shell.home)/ledger.lock' names the process; "))
        }
        #expect(await shell.run("list").code == 0)
        lock.unlock()
        #expect(await shell.run("add", "http://a/y").code == 0)
    }

    @Test func `a damaged log is exit code 21, names the place and is not touched`() async throws {
        let shell = try Shell()
        for name in ["x", "y", "z"] { #expect(await shell.run("add", "http://a/\(name)").code == 0) }
        let segment = "home/log/" + (try #require(try shell.names(in: "home/log").first))
        let bytes = try shell.damage(segment, at: 120)
        for command in ["list", "replay", "run", "verify"] {
            let result = await shell.run(command)
            #expect(result.code == 21, "\(command): \(result.errors)")
            #expect((result.errors + result.output).contains("  next:  "))
        }
        #expect(try shell.contents(segment) == bytes)
    }

    @Test func `a point behind the end of the log is an error, not the present`() async throws {
        let shell = try Shell()
        #expect(await shell.run("add", "http://a/x").code == 0)
        let result = await shell.run("list", "--at", "99")
        #expect(result.code == 1)
        #expect(result.errors.hasPrefix("not-found: event 99 lies behind the end of the log\n"))
        #expect(await shell.run("show", "7").code == 1)
    }

    @Test func `flags go over the environment, and that over the configuration`() async throws {
        let shell = try Shell()
        #expect(await shell.run("add", "http://a/x").code == 0)
        try shell.write("home/config.yaml", Array("dir: from-file\nretries: many\n".utf8))
        let bad = await shell.run("add", "http://a/y")
        #expect(bad.code == 64)
        #expect(
            bad.errors
                == "usage: 'retries' in '\(shell.home)/config.yaml' is 'many' and should be a whole number, 0 or more\n"
                + "  next:  change it there, or take it out\n")
        try shell.write("home/config.yaml", Array(#"userAgent: "a\nb""#.utf8))
        let agent = await shell.run("add", "http://a/y")
        #expect(agent.errors.hasPrefix("usage: 'userAgent' in '\(shell.home)/config.yaml' is "), "\(agent)")
        try shell.write("home/config.yaml", Array("dir: from-file\n".utf8))
        func path(_ arguments: [String], _ environment: [String: String] = [:]) async -> Bool {
            let place = arguments.last ?? environment["LEDGER_DIR"] ?? "from-file"
            let url = "http://a/" + place
            let result = await shell.run(["add", url, "--json"] + arguments, environment: environment)
            return result.output.contains(#""path":"\#(shell.directory)/\#(place)/\#(place)""#)
        }
        #expect(await path([]))
        #expect(await path([], ["LEDGER_DIR": "from-env"]))
        #expect(await path(["-d", "from-flag"], ["LEDGER_DIR": "from-env"]))
        #expect(await path([], ["LEDGER_DIR": "from-env", "LEDGER_JOBS": "", "LEDGER_PROXY": ""]), "empty is not set")
    }

    /// Two URLs at 127.0.0.1, packed by `gzip -n`.
    private static let packed: [UInt8] = [
        0x1F, 0x8B, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0xCB, 0x28, 0x29, 0x29, 0xB0, 0xD2,
        0xD7, 0x37, 0x34, 0x32, 0xD7, 0x33, 0x00, 0x42, 0x43, 0x2B, 0x4B, 0xFD, 0x44, 0xAE, 0x0C, 0x4C,
        0xC1, 0x24, 0x2E, 0x00, 0x37, 0x7F, 0x96, 0xBD, 0x2A, 0x00, 0x00, 0x00,
    ]

    @Test func `a list that gzip packed is read, and a damaged or endless one is told`() async throws {
        let shell = try Shell()
        try shell.write("list.gz", Self.packed)
        let added = await shell.run("add", "-i", "list.gz", "-d", "out")
        #expect(added.code == 0 && added.output == "1\n2\n", "\(added.errors)")
        try shell.write("cut.gz", Self.packed.dropLast(9) + [])
        let cut = await shell.run("add", "-i", "cut.gz")
        #expect(cut.code == 64 && cut.errors.contains("'cut.gz' can not be unpacked: it is damaged"))
        #expect(throws: GzipFile.Fault.tooLong) { try GzipFile.unpacked(Self.packed, bytesMax: 20) }
    }

    @Test func `show takes what list finds, and add says that pace is up to who fetches`() async throws {
        let shell = try Shell()
        for (name, group) in [("a", "one"), ("b", "two"), ("c", "one")] {
            let added = await shell.run("add", "http://a/\(name)", "--group", group, "-j", "2", "--max-rate", "1M")
            #expect(added.code == 0 && added.lines.count == 1)
            #expect(added.errors.hasPrefix("warning: how much is done at once is up to whoever"), "\(added.errors)")
        }
        let shown = await shell.run("show", "--group", "one", "--sort", "name", "--reverse", "--limit", "1", "--json")
        #expect(shown.lines.count == 1 && shown.output.hasPrefix(#"{"id":3,"#), "\(shown.output)")
        #expect(await shell.run("show", "--all", "--at", "2", "--json").lines.count == 2)
        for arguments in [[], ["1", "--all"], ["1", "--limit", "1"], ["1", "--group", "one"]] as [[String]] {
            #expect(await shell.run(["show"] + arguments).code == 64, "\(arguments)")
        }
    }
}
