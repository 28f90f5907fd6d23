import LedgerModel
import LedgerSystem
import LedgerTestSupport
import SystemPackage
import Testing

@testable import LedgerCommands

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// `backup`: a copy that opens as a home, whatever goes on meanwhile.
struct BackupTests {
    private func add(_ shell: Shell, _ names: String...) async {
        for name in names { #expect(await shell.run("add", "-q", "-d", "out", "http://a/\(name)").code == 0) }
    }

    private func backup(_ shell: Shell, json: Bool = false) async -> Shell.Result {
        await shell.run(["backup", "copy"] + (json ? ["--json"] : []))
    }

    private func copy(_ shell: Shell) -> [String: String] { ["LEDGER_HOME": shell.directory.string + "/copy"] }

    @Test func `the copy is the same ledger, with its secrets, and the next one costs what is new`() async throws {
        let shell = try Shell()
        #expect(await shell.run("add", "-d", "out", "-H", "X-Key: hush", "http://a/w").code == 0)
        await add(shell, "x", "y")
        #expect(await shell.run("compact", "--keep-events", "100").code == 0)
        await add(shell, "z")
        let first = await backup(shell)
        #expect(first.code == 0, "\(first.errors)\(first.output)")
        #expect(first.output.contains("; 0 there already; up to event 4\nverified: 4 events in 2 segments"))
        let questions = [
            ["replay", "--json", "-q"], ["list", "--json"], ["replay", "--state", "digest"], ["verify"],
        ]
        for question in questions {
            let (one, other) = (await shell.run(question), await shell.run(question, environment: copy(shell)))
            #expect(one.output == other.output && other.code == 0, "\(question)")
        }
        #expect(try shell.contents("copy/secrets") == shell.contents("home/secrets"))
        #expect(try RealFileSystem().status(of: shell.directory.appending("copy/secrets"))?.permissions == 0o600)

        await add(shell, "more")
        let second = await backup(shell, json: true)
        #expect(second.code == 0 && second.output.contains(#""filesCopied":1,"#), "\(second.output)")
        #expect(second.output.contains(#""filesKept":2,"#), "a sealed segment and the secrets: \(second.output)")
        #expect(await shell.run("list", "--json", environment: copy(shell)).lines.count == 5)
        #expect(try shell.names(in: "copy/log").filter { $0.hasSuffix(".new") } == [])
        // The copy goes on as a ledger of its own; then it is no copy any longer.
        #expect(await shell.run("add", "-d", "out", "http://a/own", environment: copy(shell)).output == "6\n")
        let refused = await backup(shell)
        #expect(
            refused.code == 1 && refused.errors.contains("lost its end, or the copy was written to since"),
            "\(refused.errors)")
        #expect(await shell.run("list", "--json", environment: copy(shell)).lines.count == 6)
    }

    @Test func `a copy that can not be compared any longer is not replaced`() async throws {
        let shell = try Shell()
        await add(shell, "w", "x")
        #expect(await backup(shell).code == 0)
        #expect(await shell.run("add", "-d", "out", "http://a/own", environment: copy(shell)).output == "3\n")
        await add(shell, "y", "z")
        #expect(await shell.run("compact", "--drop", "--keep-events", "0").code == 0)
        let refused = await backup(shell)
        #expect(refused.code == 1 && refused.errors.contains("was compacted away"), "\(refused.errors)")
        #expect(await shell.run("list", "--json", environment: copy(shell)).lines.count == 3)
    }

    @Test func `compactions between two backups are followed, archive and all`() async throws {
        let shell = try Shell()
        await add(shell, "w", "x")
        #expect(await shell.run("compact", "--keep-events", "100").code == 0)
        #expect(await backup(shell).code == 0)
        await add(shell, "y")
        #expect(await shell.run("compact", "--keep-events", "0").code == 0)
        let result = await backup(shell)
        #expect(result.code == 0, "\(result.errors)\(result.output)")
        for name in ["log", "archive", "snapshots"] {
            #expect(try shell.names(in: "copy/" + name) == shell.names(in: "home/" + name), "\(name)")
        }
        for question in [["list", "--json"], ["replay", "--state", "digest"], ["export", "-q"]] {
            let (one, other) = (await shell.run(question), await shell.run(question, environment: copy(shell)))
            #expect(one.output == other.output && other.code == 0, "\(question): \(other.errors)")
        }
    }

    @Test func `a good copy of the archive is not given up for a damaged one, nor for none`() async throws {
        let shell = try Shell()
        await add(shell, "w", "x")
        #expect(await shell.run("compact", "--keep-events", "0").code == 0)
        #expect(await backup(shell).code == 0)
        let name = "archive/0000000000000001.seg.gz"
        let held = try #require(try shell.contents("home/" + name))
        try shell.damage("home/" + name)
        #expect(await backup(shell).code == 21)
        #expect(try shell.contents("copy/" + name) == held)
        #expect(await shell.run("backup", "fresh").code == 21)
        try shell.removeFile("home/" + name)
        #expect(await backup(shell).code == 0)
        #expect(try shell.contents("copy/" + name) == held)
    }

    @Test func `what was archived and is neither here nor in the backup is told`() async throws {
        let shell = try Shell()
        for _ in 0..<2 {
            await add(shell, "w", "x")
            #expect(await shell.run("compact", "--keep-events", "0").code == 0)
        }
        #expect(try line("archive", await shell.run("doctor")).hasPrefix("ok"))
        let names = try shell.names(in: "home/archive").sorted()
        try shell.removeFile("home/archive/" + names[0])
        let result = await backup(shell, json: true)
        #expect(result.code == 0 && result.output.contains(#""archiveMissing":[[1,2]]"#), "\(result.output)")
        #expect(result.errors.contains("events 1 to 2 were archived, and their segments are neither here nor in"))
        let doctor = await shell.run("doctor")
        #expect(try line("archive", doctor).hasPrefix("warn"), "\(doctor.output)")
        #expect(try line("archive", doctor).contains("events 1 to 2 were archived, and their segments are not in '"))
    }

    private func line(_ check: String, _ result: Shell.Result) throws -> Substring {
        try #require(
            result.lines.first { $0.split(separator: " ").dropFirst().first == Substring(check) }, "\(result.output)")
    }

    @Test func `a copy that is damaged is seen, and the next backup makes it whole`() async throws {
        let shell = try Shell()
        await add(shell, "w", "x")
        #expect(await shell.run("compact", "--keep-events", "100").code == 0)
        #expect(await backup(shell).code == 0)
        let name = "copy/log/0000000000000001.seg"
        let bytes = try shell.damage(name, at: 100)
        #expect(await shell.run("verify", environment: copy(shell)).code == 21)
        #expect(await backup(shell).code == 0)
        #expect(await shell.run("verify", environment: copy(shell)).code == 0)
        // The ledger itself is damaged: what the copy has of it stays whole, and a new copy says that it is not.
        try shell.write("home/log/0000000000000001.seg", bytes)
        #expect(await backup(shell).code == 0)
        #expect(await shell.run("verify", environment: copy(shell)).code == 0)
        #expect(await shell.run("backup", "fresh").code == 21)
    }

    @Test func `secrets and tokens of the copy are not given up for damaged ones`() async throws {
        let shell = try Shell()
        #expect(await shell.run("add", "-d", "out", "--user", "me:hush", "http://a/w").code == 0)
        #expect(await shell.run("token", "phone").code == 0)
        #expect(await backup(shell).code == 0)
        let names = ["secrets", "tokens"]
        let whole = try names.map { try shell.contents("home/" + $0) }
        for name in names { try shell.write("home/" + name, Array("none".utf8)) }
        let result = await backup(shell)
        #expect(result.code == 1 && result.errors.contains("lacks 1 secrets that downloads need"), "\(result)")
        #expect(result.errors.contains("is no file of tokens"), "\(result)")
        #expect(try names.map { try shell.contents("copy/" + $0) } == whole)
        for (name, bytes) in zip(names, whole) { try shell.write("home/" + name, try #require(bytes)) }
        #expect(await backup(shell).code == 0)
    }

    @Test func `a manifest and a head of an older copy are seen by who reads`() async throws {
        let shell = try Shell()
        await add(shell, "w", "x")
        #expect(await backup(shell).code == 0)
        #expect(await shell.run("compact", "--keep-events", "9").code == 0)
        await add(shell, "y")
        try putBack([], shell)
        for look in [["list"], ["replay"], ["export"], ["verify"], ["backup", "fresh"], ["add", "http://a/z"]] {
            let result = await shell.run(look)
            #expect(result.code == 21, "\(look): \(result)")
        }
    }

    /// Has the copy's manifests and heads, and what it has of these directories, take the place of the home's.
    private func putBack(_ directories: [String], _ shell: Shell) throws {
        var names = ["manifest-a", "manifest-b", "head-a", "head-b"]
        for directory in directories {
            for name in try shell.names(in: "home/" + directory) { try shell.removeFile("home/\(directory)/\(name)") }
            names += try shell.names(in: "copy/" + directory).map { "\(directory)/\($0)" }
        }
        for name in names { try shell.write("home/" + name, try #require(try shell.contents("copy/" + name))) }
    }

    @Test func `an older copy over a home whose snapshots go further is told, and mended`() async throws {
        let shell = try Shell()
        await add(shell, "w", "x")
        #expect(await backup(shell).code == 0)
        await add(shell, "y", "z")
        #expect(await shell.run("compact", "--keep-events", "0").code == 0)
        let snapshots = try shell.names(in: "home/snapshots")
        #expect(!snapshots.isEmpty)
        try putBack(["log"], shell)
        for look in [["list"], ["verify"], ["replay", "--state", "digest"], ["add", "http://a/n"], ["compact"]] {
            let result = await shell.run(look)
            let words = result.errors + result.output
            #expect(result.code == 23 && words.contains("the log ends at sequence 2"), "\(look): \(result)")
            #expect(words.contains("'ledger repair --dry-run'"), "\(look): \(result)")
        }
        let dry = await shell.run("repair", "--dry-run")
        #expect(dry.code == 0 && !dry.output.contains("nothing to repair"), "\(dry)")
        #expect(await shell.run("repair", "--yes").code == 0)
        #expect(try Set(shell.names(in: "home/quarantine")).isSuperset(of: snapshots))
        #expect(await shell.run("verify").code == 0)
        #expect(await shell.run("add", "http://a/n").code == 0)
        #expect(await shell.run("list", "--json").lines.count == 3)
    }

    @Test func `an older copy over a home that compacted since is compacted on, beside what was archived then`()
        async throws
    {
        let shell = try Shell()
        await add(shell, "w", "x")
        #expect(await shell.run("compact", "--keep-events", "0").code == 0)
        #expect(await backup(shell).code == 0)
        await add(shell, "y")
        #expect(await shell.run("compact", "--keep-events", "0").code == 0)
        let archived = try #require(try shell.names(in: "home/archive").max())
        let other = try shell.contents("home/archive/" + archived)
        try putBack(["log", "snapshots"], shell)
        await add(shell, "z")
        let compact = await shell.run("compact", "--keep-events", "0")
        #expect(compact.code == 0, "\(compact)")
        #expect(await shell.run("verify", "--archive").code == 0)
        #expect(try shell.contents("home/quarantine/" + archived) == other)
        #expect(await shell.run("list", "--json").lines.count == 3)
    }

    @Test func `a link that leads nowhere keeps nothing from being copied`() async throws {
        let shell = try Shell()
        await add(shell, "w")
        #expect(shell.home.appending("config.yaml").withPlatformString { symlink("nowhere", $0) } == 0)
        #expect(await backup(shell).code == 0)
        #expect(await shell.run("verify", environment: copy(shell)).code == 0)
    }

    @Test(arguments: [true, false])
    func `a whole snapshot of the copy is not given up for a damaged one`(isCut: Bool) async throws {
        let shell = try Shell()
        await add(shell, "w", "x")
        #expect(await shell.run("compact", "--drop", "--keep-events", "0").code == 0)
        #expect(await backup(shell).code == 0)
        let name = try #require(try shell.names(in: "home/snapshots").first)
        let held = try #require(try shell.contents("copy/snapshots/" + name))
        if isCut { try shell.write("home/snapshots/" + name, []) } else { try shell.damage("home/snapshots/" + name) }
        #expect(await backup(shell).code == 0)
        #expect(try shell.contents("copy/snapshots/" + name) == held)
        #expect(await shell.run("list", environment: copy(shell)).code == 0)
        #expect(await shell.run("backup", "fresh").code == 21)
    }

    @Test func `a directory with something else in it is left alone, and a cut backup is no ledger`() async throws {
        let shell = try Shell()
        await add(shell, "w")
        try RealFileSystem().createDirectory(shell.directory.appending("copy"), permissions: 0o700)
        try shell.write("copy/letter.txt", [65])
        let refused = await backup(shell)
        #expect(refused.code == 1 && refused.errors.contains("'letter.txt', which is no part of a backup"))
        #expect(try shell.names(in: "copy") == ["letter.txt"])
        try shell.removeFile("copy/letter.txt")
        #expect(await backup(shell).code == 0)
        // Cut before its manifest: a reader is told, and the next one finishes.
        for name in ["manifest-a", "manifest-b"] { try shell.removeFile("copy/" + name) }
        #expect(await shell.run("list", environment: copy(shell)).code == 21)
        #expect(await backup(shell).code == 0)
        #expect(await shell.run("list", "--json", environment: copy(shell)).lines.count == 1)
        // Another ledger's.
        let other = ["LEDGER_HOME": shell.directory.string + "/other"]
        #expect(await shell.run("add", "-d", "out", "http://a/w", environment: other).code == 0)
        let foreign = await shell.run("backup", "copy", environment: other)
        #expect(foreign.code == 1 && foreign.errors.contains("holds another ledger"), "\(foreign.errors)")
        // Also one that was cut short while its files took their names, which nobody takes for a ledger.
        try shell.write("copy/unfinished", [])
        #expect(await shell.run("backup", "copy", environment: other).errors.contains("holds another ledger"))
        let cut = await shell.run("list", environment: copy(shell))
        #expect(cut.code == 21 && cut.errors.contains("type the same 'ledger backup' again"), "\(cut.errors)")
        #expect(await backup(shell).code == 0)
        #expect(await shell.run("list", environment: copy(shell)).code == 0)
        let own = await shell.run("backup", "home")
        #expect(own.code == 64 && own.errors.contains("into its own home") && !own.errors.contains("USAGE"))
        let (link, home) = (shell.directory.appending("link"), shell.directory.appending("home"))
        #expect(try await ChildProcess("/bin/ln", ["-s", home.string, link.string]).wait() == 0)
        for inside in ["link", "link/below"] { #expect(await shell.run("backup", inside).code == 64) }
        let none = ["LEDGER_HOME": shell.directory.string + "/none"]
        #expect(await shell.run("backup", "copy", environment: none).code == 10)
    }

    private func writeAndCompact(_ shell: Shell) async {
        for number in 0..<12 {
            await add(shell, "f\(number)")
            if number % 3 == 2 { #expect(await shell.run("compact", "-q", "--keep-events", "2").code == 0) }
        }
    }

    @Test func `beside a holder that writes and compacts, every backup is whole`() async throws {
        let (shell, gate) = (try Shell(), OriginGate())
        let origin = try await OriginServer.start()
        origin.on("/slow.bin") { request in
            var reply = OriginEntity(OriginEntity.pattern(9_000)).reply(to: request)
            reply.steps = [reply.steps[0], .gate(gate)]
            return reply
        }
        let (interrupts, interrupt) = AsyncStream.makeStream(of: Void.self)
        #expect(await shell.run("add", "-q", "-d", "out", try origin.url("/slow.bin").text).code == 0)
        async let holder = shell.run("run", "-q", interrupts: interrupts)
        await gate.reached()
        async let writing: Void = writeAndCompact(shell)
        for _ in 0..<6 {
            let result = await backup(shell)
            #expect(result.code == 0, "\(result.errors)\(result.output)")
            #expect(await shell.run("list", "--json", environment: copy(shell)).code == 0)
        }
        await writing
        gate.open()
        interrupt.yield()
        #expect(await holder.code == 0)
        let last = await backup(shell)
        #expect(last.code == 0, "\(last.errors)\(last.output)")
        let question = ["replay", "--state", "digest"]
        let (one, other) = (await shell.run(question), await shell.run(question, environment: copy(shell)))
        #expect(one.output == other.output)
        try await origin.stop()
    }
}
