import LedgerModel
import LedgerTestSupport
import SystemPackage
import Testing

@testable import LedgerCommands

/// Standard output that takes nothing: a disk that is full, a stream that is closed, a reader that has left.
struct ClosedOutputTests {
    /// Commands that print, in an order in which each has something to do.
    private static let commands: [[String]] = [
        ["add", "http://a/x"], ["list"], ["list", "--json"], ["show", "1"], ["pause", "1"], ["resume", "1"],
        ["move", "1", "--priority", "3"], ["cancel", "1"], ["retry", "1"], ["delete", "1"], ["undo"], ["replay"],
        ["replay", "--state", "digest"], ["verify"], ["compact", "--dry-run"], ["completions", "bash"], ["--help"],
        ["watch", "1", "--json"], ["--version"],
    ]

    @Test(arguments: [Errno.noSpace, .badFileDescriptor])
    func `every command that prints says so and leaves with 74`(errno: Errno) async throws {
        let shell = try Shell()
        for arguments in Self.commands {
            if arguments[0] == "watch" { #expect(await shell.run("cancel", "1").code == 0) }
            let result = await shell.run(arguments, output: errno)
            #expect(result.code == 74, "\(arguments): \(result.errors)")
            #expect(result.errors.contains("standard output can not be written to\n  cause: write 'standard output': "))
            #expect(result.errors.hasSuffix("look with 'ledger list'\n"), "\(arguments): \(result.errors)")
        }
        // What they were told to do, they did.
        let types = await shell.run("replay", "--json").lines.map { line in
            line.split(separator: "\"type\":\"")[1].prefix { $0 != "\"" }
        }
        #expect(
            types == [
                "enqueued", "paused", "resumed", "moved", "cancelled", "retried", "deleted", "restored", "cancelled",
            ])
    }

    @Test func `a reader that has left ends a command in silence, with the code it would have had`() async throws {
        let shell = try Shell()
        for arguments in Self.commands where arguments[0] != "watch" {
            let result = await shell.run(arguments, output: .brokenPipe)
            #expect(result.code == 0, "\(arguments): \(result.errors)")
            #expect(!result.errors.contains("standard output"), "\(arguments): \(result.errors)")
        }
        let refused = await shell.run("resume", "1", output: .brokenPipe)
        #expect(refused.code == 1 && refused.errors.hasPrefix("refused: download 1 is not paused\n"))
        #expect(await shell.run("show", "9", "1", output: .brokenPipe).code == 1)
        // Nor does it hide what a look has found.
        #expect(await shell.run("doctor", "--json", environment: ["LEDGER_JOBS": "no"], output: .brokenPipe).code == 1)
    }

    @Test(arguments: [(Errno.brokenPipe, Int32(0)), (.noSpace, 74)])
    func `a get whose rows can not be printed brings its files all the same`(errno: Errno, code: Int32) async throws {
        let (shell, origin) = (try Shell(), try await OriginServer.start())
        let file = OriginEntity(OriginEntity.pattern(20_000))
        origin.on("/a.bin") { file.reply(to: $0) }
        let url = try origin.url("/a.bin").text
        let result = await shell.run("get", "--json", "-d", "out", url, output: errno)
        #expect(result.code == code, "\(result.errors)")
        #expect(result.errors.contains("1 of 1 download completed\n"))
        #expect(try shell.contents("out/a.bin") == file.bytes)
        try await origin.stop()
    }
}
