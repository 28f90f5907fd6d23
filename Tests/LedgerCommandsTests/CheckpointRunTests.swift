import LedgerSystem
import SystemPackage
import Testing

@testable import LedgerCommands

/// `run --checkpoints DIR`.
struct CheckpointRunTests {
    @Test func `run writes one when the log grew, under its size, on record, and verify takes it`() async throws {
        let shell = try Shell()
        // What is paused keeps no run from ending by itself.
        func add(_ url: String) async {
            #expect(await shell.run("add", url).code == 0)
            #expect(await shell.run("pause", "--all").code == 0)
        }
        func run() async -> Int32 {
            await shell.run("run", "--until-idle", "--checkpoints", "kept", "--every", "1h").code
        }
        await add("http://a/x")
        #expect(await run() == 0)
        #expect(try shell.names(in: "kept") == ["0000000000000002.checkpoint"])
        #expect(await shell.run("verify", "--against", "kept/0000000000000002.checkpoint").code == 0)
        let events = await shell.run("replay", "--type", "checkpointed", "--json")
        #expect(events.lines.count == 1 && events.output.contains(#""size":2,"root":"sha-256:"#), "\(events.output)")
        #expect(await run() == 0)
        #expect(try shell.names(in: "kept").count == 1, "nothing but its own event came")
        await add("http://a/y")
        #expect(await run() == 0)
        #expect(try shell.names(in: "kept") == ["0000000000000002.checkpoint", "0000000000000005.checkpoint"])
        for name in try shell.names(in: "kept") {
            #expect(await shell.run("verify", "--against", "kept/" + name).code == 0)
        }
        try shell.removeFile("kept/0000000000000005.checkpoint")
        #expect(await run() == 0)
        #expect(try shell.names(in: "kept") == ["0000000000000002.checkpoint", "0000000000000006.checkpoint"])
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
