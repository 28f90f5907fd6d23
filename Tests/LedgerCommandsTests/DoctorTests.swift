import LedgerLog
import LedgerModel
import LedgerServer
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

/// `ledger doctor`: each thing that can be wrong is seen, and nothing is changed.
struct DoctorTests {
    /// The line about one thing; fails when there is not exactly one.
    private func line(_ check: String, _ result: Shell.Result) throws -> Substring {
        let lines = result.lines.filter { $0.split(separator: " ").dropFirst().first == Substring(check) }
        try #require(lines.count == 1, "\(result.output)")
        return lines[0]
    }

    private func ledger(_ clock: (any LedgerClock)? = nil) async throws -> Shell {
        let shell = try Shell(clock: clock)
        #expect(await shell.run("add", "-d", "out", "http://127.0.0.1:9/a.bin").code == 0)
        return shell
    }

    /// What asks the real port of the API may meet a ledger of someone else's.
    private func examine(_ shell: Shell, environment: [String: String] = [:]) async throws -> Shell.Result {
        let port = try await OriginServer.freePort()
        return await shell.run(["doctor", "--listen", "127.0.0.1:\(port)"], environment: environment)
    }

    @Test func `where there is no ledger it says so, and makes none`() async throws {
        let shell = try Shell()
        let result = await shell.run("doctor")
        #expect(result.code == 0, "\(result.output)")
        #expect(try line("home", result).hasPrefix("warn"))
        #expect(try shell.names(in: "").isEmpty)
    }

    @Test func `a disk that is nearly full is told, and what of it deleted files take`() {
        func room(_ free: UInt64, _ deleted: UInt64) -> Finding {
            Examination.room(in: "/out", "room", freeBytes: free, trash: "/home/trash", deletedBytes: deleted)
        }
        #expect(room(1 << 30, 0) == Finding("room", .ok, "1.0 GiB are free at '/out'"))
        #expect(room(128 << 20, 0).result == .warn && room(128 << 20, 0).next == "make room there")
        let full = room(1 << 20, 5 << 30)
        #expect(full.result == .bad && full.words.contains("deleted files in '/home/trash' take 5.0 GiB"))
        #expect(full.next?.contains("trashSizeMax") == true)
    }

    @Test func `a ledger that is well is told so, one line a check`() async throws {
        let shell = try await ledger()
        let before = try shell.names(in: "home")
        let result = try await examine(shell)
        #expect(result.code == 0 && result.errors.isEmpty, "\(result.output)\(result.errors)")
        for check in [
            "home", "owner", "sync", "files", "holder", "heir", "log", "tokens", "secrets", "api", "configuration",
        ] {
            #expect(try line(check, result).hasPrefix("ok"), "\(result.output)")
        }
        #expect(try line("log", result).contains("up to event 1"))
        let rows = await shell.run("doctor", "--json", "--listen", "192.0.2.1:80")
        #expect(rows.lines.allSatisfy { $0.hasPrefix(#"{"check":""#) && $0.contains(#""result":""#) })
        #expect(rows.output.contains(#"{"check":"api","result":"ok","words":"'192.0.2.1:80' is not asked"#))
        #expect(try shell.names(in: "home") == before)
    }

    @Test func `modes that let others in are told, with what ends that`() async throws {
        let shell = try await ledger()
        try shell.write("home/tokens", Array("[]".utf8))
        for name in ["home/tokens", "home"] { try shell.open(name) }
        let result = try await examine(shell)
        #expect(result.code == 1)
        #expect(try line("home", result).hasPrefix("bad"))
        #expect(try line("home", result).contains("; next: chmod 700 "))
        #expect(try line("tokens", result).hasPrefix("bad"), "\(result.output)")
        let quiet = await shell.run("doctor", "--quiet")
        #expect(quiet.code == 1 && quiet.lines.allSatisfy { !$0.hasPrefix("ok") })
    }

    @Test func `a broken configuration and strange variables are told, and the rest is looked at`() async throws {
        let shell = try await ledger()
        try shell.write("home/config.yaml", Array("jobs: many\n".utf8))
        let result = try await examine(shell, environment: ["LEDGER_JOB": "3", "https_proxy": "http://u:secret@p:1"])
        #expect(result.code == 1)
        #expect(try line("configuration", result).contains("'jobs' in"))
        #expect(try line("environment", result).contains("LEDGER_JOB: no setting is called so"))
        #expect(try line("proxies", result).contains("https_proxy is http://"))
        #expect(!result.output.contains("secret@") && result.output.contains("descriptors"))
    }

    @Test func `a damaged log is bad, and one that is damaged at its very beginning too`() async throws {
        let shell = try await ledger()
        #expect(await shell.run("add", "-d", "out", "http://127.0.0.1:9/b.bin").code == 0)
        let segment = try #require(try shell.names(in: "home/log").first)
        try shell.damage("home/log/" + segment, at: 200)
        let result = try await examine(shell)
        #expect(result.code == 1)
        #expect(try line("log", result).hasPrefix("bad"), "\(result.output)")
        let repair = "'ledger repair --dry-run' says whether anything can be saved"
        #expect(try line("log", result).contains(repair), "\(result.output)")
        // What no repair mends is not sent there.
        for name in ["manifest-a", "manifest-b"] { try shell.damage("home/" + name, at: 20) }
        let worse = try await examine(shell)
        #expect(try line("log", worse).hasPrefix("bad"), "\(worse.output)")
        #expect(!worse.output.contains("ledger repair"), "\(worse.output)")
    }

    @Test(arguments: [
        ["head-a"], ["manifest-a"], ["manifest-b", "head-b"], ["manifest-a", "manifest-b", "head-a", "head-b"],
    ])
    func `what is left of a ledger without its log is not taken for a new one`(left: [String]) async throws {
        let shell = try Shell()
        try RealFileSystem().createDirectory(shell.home, permissions: 0o700)
        for (bytes, name) in left.enumerated() {
            try shell.write("home/" + name, [UInt8](repeating: 7, count: bytes * 80))
        }
        let result = try await examine(shell)
        let names = left.sorted { ($0.prefix(1) == "m" ? 0 : 1, $0) < ($1.prefix(1) == "m" ? 0 : 1, $1) }
        #expect(result.code == 1)
        #expect(try line("log", result).hasPrefix("bad"), "\(result.output)")
        #expect(try line("log", result).contains("; left of it: " + names.map { "'\($0)'" }.joined(separator: ", ")))
        #expect(try shell.names(in: "home").sorted() == left.sorted())
        // An empty home is one that a ledger is about to be made in.
        for name in left { try shell.removeFile("home/" + name) }
        let empty = try await examine(shell)
        #expect(try empty.code == 0 && line("log", empty).contains("nothing was recorded yet"), "\(empty.output)")
    }

    @Test(arguments: ["manifest-a", "manifest-b", "head-a", "head-b"])
    func `a copy that is damaged or gone is told, though its twin holds`(name: String) async throws {
        let shell = try await ledger()
        try shell.damage("home/" + name)
        for isGone in [false, true] {
            if isGone { try shell.removeFile("home/" + name) }
            let result = try await examine(shell)
            #expect(try result.code == 0 && line("log", result).hasPrefix("warn"), "\(result.output)")
            #expect(try line("log", result).contains("up to event 1; but '\(name)' is "))
        }
    }

    @Test(arguments: [
        ("ledger.lock", "directory", "is no file"), ("head-a", "directory", "is no file"),
        ("manifest-b", "link", "leads nowhere"), ("ballast", "link", "leads nowhere"),
        ("archive", "file", "is no directory"),
        ("trash", "file", "is no directory"), ("secrets", "directory", "is no file"),
        ("ledger.sock", "directory", "is no socket"),
    ])
    func `what stands where another kind of thing should is told`(name: String, kind: String, words: String)
        async throws
    {
        let shell = try await ledger()
        let (disk, path) = (RealFileSystem(), shell.home.appending(name))
        switch try disk.status(of: path)?.kind {
        case .directory?: try disk.removeDirectory(path)
        case nil: break
        default: try disk.unlink(path)
        }
        switch kind {
        case "directory": try disk.createDirectory(path, permissions: 0o700)
        case "file": try shell.write("home/" + name, [1])
        default: #expect(path.withPlatformString { symlink("nowhere", $0) } == 0)
        }
        let result = try await examine(shell)
        #expect(result.code == 1)
        #expect(try line("files", result).contains("/\(name)' \(words)") || line("files", result).contains(words))
        #expect(try line("files", result).hasPrefix("bad"), "\(result.output)")
    }

    @Test func `a head that is a link, which is not written through, is told`() async throws {
        let shell = try await ledger()
        let path = shell.home.appending("head-a")
        try RealFileSystem().rename(path, to: shell.directory.appending("elsewhere"), replacing: false)
        #expect(path.withPlatformString { symlink("../elsewhere", $0) } == 0)
        let result = await shell.run("doctor")
        #expect(try result.code == 1 && line("files", result).contains("head-a' is a link, and nothing is written"))
    }

    @Test func `a home that is a file, or a link that leads nowhere, is told`() async throws {
        let shell = try Shell()
        try shell.write("home", [1])
        #expect(try line("home", await shell.run("doctor")).contains("is no directory"))
        try shell.removeFile("home")
        #expect(shell.home.withPlatformString { symlink("nowhere", $0) } == 0)
        let result = await shell.run("doctor")
        #expect(try result.code == 1 && line("home", result).contains("is a link that leads nowhere"))
    }

    @Test func `secrets that downloads need and that are not there any more are told`() async throws {
        let shell = try await ledger()
        #expect(try line("secrets", await examine(shell)).contains("no download needs any"))
        #expect(await shell.run("add", "--user", "name:password", "http://127.0.0.1:9/b.bin").code == 0)
        let well = try await examine(shell)
        #expect(try line("secrets", well).hasPrefix("ok"), "\(well.output)")
        try shell.damage("home/secrets")
        let damaged = try await examine(shell)
        #expect(try damaged.code == 1 && line("secrets", damaged).contains("1 of the 1 that downloads need are not in"))
        try shell.removeFile("home/secrets")
        let gone = try await examine(shell)
        #expect(try gone.code == 1 && line("secrets", gone).contains("1 of the 1 that downloads need are not in"))
        #expect(try !shell.names(in: "home").contains("secrets"))
    }

    @Test func `who holds it is asked, and one that does not answer is told`() async throws {
        let shell = try await ledger()
        let holder = try SilentHolder(shell.home, answers: true)
        let answered = try await examine(shell)
        // It is the one that says that it is version 0.
        #expect(try line("holder", answered).contains("process 7 (version 0) holds the ledger and answers"))
        #expect(try line("holder", answered).hasPrefix("warn") && answered.code == 0)
        #expect(try line("api", answered).hasPrefix("warn"))
        holder.leave()
        let silent = try SilentHolder(shell.home, answers: false)
        let result = await shell.run("doctor", answerPatience: .milliseconds(50))
        #expect(try line("holder", result).contains("does not answer") && result.code == 1)
        silent.leave()
    }

    @Test func `the API and where its files go are looked for where the holder says`() async throws {
        let shell = try await ledger()
        let origin = try await OriginServer.start()
        origin.on("/healthz") { _ in OriginReply(body: Array("ok\n".utf8)) }
        let address = "127.0.0.1:\(origin.port)"
        let holder = try SilentHolder(
            shell.home, answers: true, serving: [address], into: shell.directory.appending("served").string)
        let result = await shell.run("doctor")
        #expect(try line("api", result).contains("another program answers at \(address)"), "\(result.output)")
        #expect(try line("destination", result).contains("/served', where downloads go,"), "\(result.output)")
        holder.leave()
        let other = try SilentHolder(shell.home, answers: true, serving: [])
        let without = await shell.run("doctor")
        #expect(try line("api", without).contains("the process that holds the ledger serves none"))
        other.leave()
        try await origin.stop()
    }

    @Test func `another program at the API's address is not taken for it`() async throws {
        let shell = try await ledger()
        let origin = try await OriginServer.start()
        origin.on("/healthz") { _ in OriginReply(body: Array("ok\n".utf8)) }
        let result = await shell.run("doctor", "--listen", "127.0.0.1:\(origin.port)")
        #expect(try line("api", result).contains("another program answers"), "\(result.output)")
        try await origin.stop()
    }

    @Test func `a clock that can not be, or went back, is told`() async throws {
        let clock = ManualClock(Timestamp(milliseconds: 1_800_000_000_000))
        let shell = try await ledger(clock)
        clock.setWall(Timestamp(milliseconds: 1_799_000_000_000))
        #expect(try line("clock", await examine(shell)).contains("the clock went back"))
        clock.setWall(.epoch)
        let result = try await examine(shell)
        #expect(try line("clock", result).hasPrefix("bad") && result.code == 1)
    }

    @Test func `the destination and the authorities of the configuration are looked for`() async throws {
        let shell = try await ledger()
        try shell.write("home/config.yaml", Array("dir: /nowhere/at/all\ncacert: /nowhere/ca.pem\njobs: 1024\n".utf8))
        let result = try await examine(shell)
        #expect(try line("destination", result).hasPrefix("warn"), "\(result.output)")
        #expect(try line("authorities", result).hasPrefix("bad") && result.code == 1)
        try shell.write("home/config.yaml", Array("cookies: /nowhere/jar\n".utf8))
        let named = await shell.run("doctor")
        #expect(named.output.contains("'/nowhere/jar' ('cookies') can not be read") && named.code == 1, "\(named)")
        try shell.write("file", [1])
        try shell.write("home/config.yaml", Array("dir: \(shell.directory)/file\n".utf8))
        #expect(try line("destination", await examine(shell)).hasPrefix("bad"))
    }
}

extension Shell {
    /// Lets everyone read and write a file or directory below ``directory``.
    fileprivate func open(_ name: String) throws {
        let path = directory.appending(FilePath(name).components)
        #expect(path.withPlatformString { chmod($0, 0o777) } == 0)
    }
}
