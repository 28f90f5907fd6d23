import LedgerAPI
import LedgerModel
import LedgerSystem
import LedgerTestSupport
import Synchronization
import SystemPackage
import Testing

@testable import LedgerCommands

/// `run --take-over`: a process gives the ledger to another one that asks for it.
struct HandOverTests {
    @Test func `a second process takes over, and goes on from the last byte of the first`() async throws {
        let (shell, gate) = (try Shell(), OriginGate())
        let file = OriginEntity(OriginEntity.pattern(300_000))
        let origin = try await OriginServer.start()
        origin.serve("/a.bin", file, stoppingAt: 200_000, gate)
        #expect(await shell.run("add", "-d", "out", try origin.url("/a.bin").text).code == 0)
        let listen = ["--listen", "127.0.0.1:\(try await OriginServer.freePort())"]
        let first = try shell.start(["run"] + listen)
        defer { first.send(.kill) }
        try await shell.wait(for: "\"received\":200000", in: "list", "--json", from: first)

        let second = try shell.start(["run", "--take-over", "--until-idle"] + listen)
        defer { second.send(.kill) }
        try #require(await second.wait() == 0)
        #expect(await first.wait() == 0)
        #expect(try shell.contents("out/a.bin") == file.bytes)
        #expect(try shell.names(in: "out") == ["a.bin"])
        #expect(origin.requests.map(\.rangeStart) == [nil, 200_000])
        #expect(await shell.run("replay", "--type", "completed", "--json").lines.count == 1)
        #expect(await shell.run("replay", "--type", "failed", "--json").lines.isEmpty)
        #expect(await shell.run("verify", "--data").code == 0)
        gate.open()
        try await origin.stop()
    }

    @Test(arguments: [[], ["--take-over"]])
    func `a get gives way to a run that comes, and watches it`(flags: [String]) async throws {
        let (shell, gate) = (try Shell(), OriginGate())
        let file = OriginEntity(OriginEntity.pattern(300_000))
        let origin = try await OriginServer.start()
        origin.serve("/a.bin", file, stoppingAt: 200_000, gate)
        let url = try origin.url("/a.bin").text
        async let first = shell.run("get", "-v", "-d", "out", url)
        await gate.reached()
        let second = await shell.run(["run", "--until-idle", "--no-api"] + flags)
        #expect(second.code == 0 && second.errors.contains("was asked to leave; taking over"), "\(second.errors)")
        let got = await first
        #expect(got.code == 0, "\(got.errors)")
        #expect(got.errors.contains("a 'ledger run' takes the ledger over and goes on with this"), "\(got.errors)")
        #expect(got.errors.hasSuffix("1 of 1 download completed\n"), "\(got.errors)")
        #expect(try shell.contents("out/a.bin") == file.bytes)
        #expect(origin.requests.count == 2)
        #expect(await shell.run("replay", "--type", "enqueued,completed", "--json").lines.count == 2)
        gate.open()
        try await origin.stop()
    }

    /// What a `get` was told, whether its origin serves ranges, what `run` is told, and what that says.
    static let staying: [(get: [String], servesRanges: Bool, run: [String], words: String)] = [
        ([], false, [], "taking over when it leaves"),
        ([], false, ["--take-over"], "when its own downloads have ended"),
        (["--max-rate", "100M"], true, [], "taking over when it leaves"),
        (["--jobs", "3"], true, ["--take-over"], "when its own downloads have ended"),
    ]

    @Test(arguments: staying.indices)
    func `a get whose bytes would come again, or that has limits of its own, is waited for`(index: Int) async throws {
        let row = Self.staying[index]
        let (shell, gate) = (try Shell(), OriginGate())
        var file = OriginEntity(OriginEntity.pattern(300_000))
        file.servesRanges = row.servesRanges
        let origin = try await OriginServer.start()
        origin.serve("/a.bin", file, stoppingAt: 200_000, gate)
        let url = try origin.url("/a.bin").text
        async let first = shell.run(["get", "-d", "out", url] + row.get)
        await gate.reached()
        let said = Mutex(false)
        async let second = shell.run(
            ["run", "--until-idle", "--no-api"] + row.run,
            hearing: { errors in
                if errors.contains(row.words) { said.withLock { $0 = true } }
            })
        while !said.withLock({ $0 }) { await Task.yield() }
        gate.open()
        #expect(await first.code == 0)
        #expect(await second.code == 0)
        #expect(origin.requests.count == 1)
        try await origin.stop()
    }

    @Test func `a holder that agrees and does not leave is named`() async throws {
        let clock = ManualClock(.epoch)
        let shell = try Shell(clock: clock)
        #expect(await shell.run("add", "http://a/x").code == 0)
        let holder = try SilentHolder(shell.home, answers: true, agrees: true)
        let result = await clock.passes(every: .milliseconds(30)) {
            await shell.run("run", "--take-over", "--no-api", patience: .seconds(100_000))
        }
        #expect(result.code == 11)
        #expect(result.errors.contains("process 7 agreed to leave and still holds the ledger"), "\(result.errors)")
        #expect(holder.asked.withLock { $0.count { $0 == .leave } } == 1)
        holder.leave()
    }

    /// A ledger that a process holds and serves at `port`, for as long as `body` takes; it is there after it too.
    private func beside(
        _ flags: [String] = [], _ body: (Shell, _ port: Int) async throws -> Void
    ) async throws {
        let (shell, port) = (try Shell(), try await OriginServer.freePort())
        #expect(await shell.run("add", "http://a/x").code == 0)
        let first = try shell.start(["run"] + (flags.isEmpty ? ["--listen", "127.0.0.1:\(port)"] : flags))
        defer { first.send(.kill) }
        let answer = "process \(first.id) (version \(Version.current)) holds the ledger and answers"
        try await shell.wait(for: answer, in: "doctor", from: first)
        try await body(shell, port)
        #expect(await shell.run("doctor").output.contains(answer))
        #expect(await shell.run("add", "http://a/y").code == 0)
        #expect(await shell.run("list", "--json").lines.count == 2)
        first.send(.terminate)
        #expect(await first.wait() == 0)
    }

    @Test func `a process that could not serve asks nobody to leave`() async throws {
        try await beside { shell, port in
            try shell.write("file", [1])
            let listen = ["--listen", "127.0.0.1:\(port)"]
            let cases: [(flags: [String], code: Int32, words: String)] = [
                (["--listen", "0.0.0.0:\(port)"], 64, "no token is needed to do anything"),
                (["--listen", "192.0.2.1:\(port)"], 64, "no token is needed to do anything"),
                (listen + ["-d", "file/below"], 74, "file"),
                (listen + ["--allow-dir", "file"], 74, "file"),
                (listen + ["--tls-cert", "none.pem", "--tls-key", "none.pem"], 64, "none.pem"),
                (listen + ["--log-file", "file/below"], 64, "can not be written to"),
                (listen + ["--checkpoints", "file/below"], 74, "another directory with '--checkpoints'"),
            ]
            for refused in cases {
                let result = await shell.run(["run", "--take-over"] + refused.flags)
                #expect(result.code == refused.code && result.errors.contains(refused.words), "\(result)")
                #expect(!result.errors.contains("was asked to leave"), "\(result.errors)")
            }
        }
    }

    @Test func `a process that can not read the tokens asks nobody to leave`() async throws {
        try await beside { shell, port in
            try shell.write("home/tokens", Array("{".utf8))
            let result = await shell.run("run", "--take-over", "--listen", "127.0.0.1:\(port)")
            #expect(result.code == 1 && result.errors.contains("is no file of tokens"), "\(result)")
        }
    }

    @Test(arguments: [[], ["--no-api"]])
    func `a process whose address a third one has asks nobody to leave`(flags: [String]) async throws {
        let third = try await OriginServer.start()
        try await beside(flags) { shell, _ in
            let result = await shell.run("run", "--take-over", "--listen", "127.0.0.1:\(third.port)")
            #expect(result.code == 1 && result.errors.contains("can not be listened on"), "\(result)")
            #expect(!result.errors.contains("was asked to leave"), "\(result.errors)")
        }
        try await third.stop()
    }

    @Test func `a process that serves elsewhere takes over`() async throws {
        let shell = try Shell()
        #expect(await shell.run("add", "http://a/x").code == 0)
        let ports = [try await OriginServer.freePort(), try await OriginServer.freePort()]
        let first = try shell.start(["run", "--listen", "127.0.0.1:\(ports[0])"])
        defer { first.send(.kill) }
        try await shell.wait(for: "process \(first.id) ", in: "doctor", from: first)
        let second = try shell.start(["run", "--take-over", "--listen", "127.0.0.1:\(ports[1])"])
        defer { second.send(.kill) }
        try await shell.wait(for: "process \(second.id) ", in: "doctor", from: second)
        #expect(await first.wait() == 0)
        second.send(.terminate)
        #expect(await second.wait() == 0)
    }
}
