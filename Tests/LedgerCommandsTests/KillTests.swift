import LedgerModel
import LedgerSystem
import LedgerTestSupport
import SystemPackage
import Testing

@testable import LedgerCommands

/// The real program as a process of its own, ended with SIGKILL.
struct KillTests {
    /// The program that was built beside these tests.
    private func program() throws -> FilePath {
        try CurrentProcess.executable().removingLastComponent().appending("ledger")
    }

    @Test func `a killed get is carried on by the same command, and no completed file is fetched again`() async throws {
        let (shell, gate) = (try Shell(), OriginGate())
        let (small, large) = (
            OriginEntity(OriginEntity.pattern(10_000)), OriginEntity(OriginEntity.pattern(300_000, seed: 2))
        )
        let origin = try await OriginServer.start()
        origin.on("/small.bin") { small.reply(to: $0) }
        origin.script(
            "/large.bin",
            [
                { request in
                    var reply = large.reply(to: request)
                    reply.steps = [reply.steps[0], .bytes(Array(large.bytes[..<200_000])), .gate(gate)]
                    return reply
                }, { large.reply(to: $0) },
            ])
        let arguments = [
            "get", "-q", "--json", "--timeout", "1h", "-d", shell.directory.string + "/out",
            try origin.url("/small.bin").text,
            try origin.url("/large.bin").text,
        ]
        let first = try ChildProcess(
            program(), arguments, environment: shell.processEnvironment, output: .discarded, errors: .inherited)
        await gate.reached()
        first.send(.kill)
        #expect(await first.wait() == 137)
        #expect(await shell.run("list").code == 0)
        let second = try ChildProcess(
            program(), arguments, environment: shell.processEnvironment, output: .discarded, errors: .inherited)
        #expect(await second.wait() == 0)
        #expect(try shell.contents("out/small.bin") == small.bytes)
        #expect(try shell.contents("out/large.bin") == large.bytes)
        #expect(try shell.names(in: "out") == ["large.bin", "small.bin"])
        gate.open()
        try await origin.stop()
    }
}
