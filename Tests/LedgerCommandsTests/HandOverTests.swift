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
        await gate.reached()
        await shell.wait(for: "\"received\":200000", in: "list", "--json")

        let second = try shell.start(["run", "--take-over", "--until-idle"] + listen)
        defer { second.send(.kill) }
        #expect(await first.wait() == 0)
        #expect(await second.wait() == 0)
        #expect(try shell.contents("out/a.bin") == file.bytes)
        #expect(try shell.names(in: "out") == ["a.bin"])
        #expect(origin.requests.map(\.rangeStart) == [nil, 200_000])
        #expect(await shell.run("replay", "--type", "completed", "--json").lines.count == 1)
        #expect(await shell.run("replay", "--type", "failed", "--json").lines.isEmpty)
        #expect(await shell.run("verify", "--data").code == 0)
        gate.open()
        try await origin.stop()
    }

    @Test func `a get stays until it is done, and is waited for`() async throws {
        let (shell, gate) = (try Shell(), OriginGate())
        let file = OriginEntity(OriginEntity.pattern(300_000))
        let origin = try await OriginServer.start()
        origin.serve("/a.bin", file, stoppingAt: 200_000, gate)
        let url = try origin.url("/a.bin").text
        async let first = shell.run("get", "-d", "out", url)
        await gate.reached()
        let said = Mutex(false)
        async let second = shell.run(
            "run", "--take-over", "--until-idle", "--no-api",
            hearing: { errors in
                if errors.contains("leaves the ledger when its own downloads have ended") {
                    said.withLock { $0 = true }
                }
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
}
