import LedgerModel
import LedgerSystem
import LedgerTestSupport
import SystemPackage
import Testing

@testable import LedgerCommands

/// The real program with hooks that are programs.
struct HookProcessTests {
    /// Writes down its environment, and then ends for nobody who asks.
    private static let program = """
        #!/bin/sh
        trap '' TERM
        env > "${0%/*}/telling" && mv "${0%/*}/telling" "${0%/*}/told"
        exec sleep 600

        """

    /// Runs the program until its hook is at work, and tells it to stop.
    /// - Returns: what stands in the hook's environment, and how long it took to stop.
    private func stop(environment: [String: String] = [:]) async throws -> (told: [Substring], took: Duration) {
        let (shell, disk) = (try Shell(), RealFileSystem())
        let (program, told) = (shell.directory.appending("tell"), shell.directory.appending("told"))
        try disk.replaceContents(of: program, with: Array(Self.program.utf8), permissions: 0o755)
        let arguments = ["run", "--no-api", "--on", "enqueue=\(program)"]
        // A new hook is told of what comes from here on.
        #expect(await shell.run(arguments + ["--until-idle"]).code == 0)
        #expect(await shell.run("add", "http://127.0.0.1:1/a").code == 0)
        let process = try shell.start(arguments, environment: environment)
        defer { process.send(.kill) }
        while try disk.status(of: told) == nil {
            try #require(process.status == nil)
            await Task.yield()
        }
        let start = ContinuousClock.now
        process.send(.terminate)
        #expect(await process.wait() == 0)
        let took = ContinuousClock.now - start
        let bytes = try #require(try disk.contents(of: told))
        return (String(decoding: bytes, as: UTF8.self).split(separator: "\n"), took)
    }

    @Test(.timeLimit(.minutes(10))) func `SIGTERM ends it in time, though a hook's program does not end`() async throws
    {
        let took = try await stop().took
        #expect(took < StopTests.stopMax, "it took \(took)")
    }

    @Test(.timeLimit(.minutes(10))) func `a hook's program is handed no password of a proxy`() async throws {
        let told = try await stop(environment: [
            "LEDGER_PROXY": "http://ada:s3cret@127.0.0.1:1", "http_proxy": "ada:s3cret@127.0.0.1:1",
            "ALL_PROXY": "socks5://ada:s3cret@127.0.0.1:1", "https_proxy": "http://127.0.0.1:1", "HOOK_PAGER": "a@b",
        ]).told
        #expect(!told.contains { $0.contains("s3cret") })
        for line in ["https_proxy=http://127.0.0.1:1", "HOOK_PAGER=a@b"] { #expect(told.contains { $0 == line }) }
        #expect(told.contains { $0.hasPrefix("LEDGER_KEY=") })
    }

    @Test func `a run that leaves a hook untold says so by its exit, and the next one tells it`() async throws {
        let (shell, origin, disk) = (try Shell(), try await OriginServer.start(), RealFileSystem())
        origin.serve("/a", OriginEntity(OriginEntity.pattern(9)))
        let program = shell.directory.appending("tell")
        try disk.replaceContents(of: program, with: Array("#!/bin/sh\nexit 3\n".utf8), permissions: 0o755)
        let run = ["run", "--no-api", "--until-idle", "--on", "complete=\(program)"]
        #expect(await shell.run(run).code == 0)
        #expect(await shell.run("add", "-d", "out", try origin.url("/a").text).code == 0)
        let untold = await shell.run(run)
        #expect(untold.code == 1 && untold.errors.contains("it ended with code 3"), "\(untold.errors)")
        #expect(try shell.names(in: "out") == ["a"])
        #expect(await shell.run(run).code == 1, "it was told though it refused again")
        try disk.replaceContents(of: program, with: Array("#!/bin/sh\nexit 0\n".utf8), permissions: 0o755)
        #expect(await shell.run(run).code == 0)
        try await origin.stop()
    }
}
