import LedgerSystem
import SystemPackage
import Testing

@testable import LedgerCommands

/// `run --checkpoints DIR`.
struct CheckpointRunTests {
    @Test func `run writes one when the log grew, under its size, on record, and verify takes it`() async throws {
        let shell = try Shell()
        #expect(await shell.run("add", "--not-before", "2099-01-01", "http://a/x").code == 0)
        let flags = ["run", "--until-idle", "--checkpoints", "kept", "--every", "1h"]
        func run() async -> Int32 {
            let (interrupts, stop) = AsyncStream.makeStream(of: Void.self)
            stop.yield()
            return await shell.run(flags, interrupts: interrupts).code
        }
        #expect(await run() == 0)
        #expect(try shell.names(in: "kept") == ["0000000000000001.checkpoint"])
        #expect(await shell.run("verify", "--against", "kept/0000000000000001.checkpoint").code == 0)
        let events = await shell.run("replay", "--type", "checkpointed", "--json")
        #expect(events.lines.count == 1 && events.output.contains(#""size":1,"root":"sha-256:"#), "\(events.output)")
        #expect(await run() == 0)
        #expect(try shell.names(in: "kept").count == 1, "nothing but its own event came")
        #expect(await shell.run("add", "--not-before", "2099-01-01", "http://a/y").code == 0)
        #expect(await run() == 0)
        #expect(try shell.names(in: "kept") == ["0000000000000001.checkpoint", "0000000000000003.checkpoint"])
        for name in try shell.names(in: "kept") {
            #expect(await shell.run("verify", "--against", "kept/" + name).code == 0)
        }
        try shell.removeFile("kept/0000000000000003.checkpoint")
        #expect(await run() == 0)
        #expect(try shell.names(in: "kept") == ["0000000000000001.checkpoint", "0000000000000004.checkpoint"])
    }

    @Test func `a directory that takes none is told before anything is begun`() async throws {
        let shell = try Shell()
        #expect(await shell.run("add", "http://a/x").code == 0)
        try shell.write("file", [1])
        let result = await shell.run("run", "--until-idle", "--checkpoints", "file/below")
        #expect(result.code == 74 && result.errors.contains("\n  next:  "), "\(result.errors)")
        #expect(await shell.run("run", "--every", "1h").code == 64)
        #expect(await shell.run("run", "--checkpoints", "kept", "--every", "10ms").code == 64)
    }
}
