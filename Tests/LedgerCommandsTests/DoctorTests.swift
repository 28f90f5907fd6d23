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

    @Test func `a ledger that is well is told so, one line a check`() async throws {
        let shell = try await ledger()
        let before = try shell.names(in: "home")
        let result = try await examine(shell)
        #expect(result.code == 0 && result.errors.isEmpty, "\(result.output)\(result.errors)")
        for check in ["home", "owner", "sync", "holder", "heir", "log", "tokens", "secrets", "api", "configuration"] {
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
