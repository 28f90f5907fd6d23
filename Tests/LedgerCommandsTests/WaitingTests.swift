import LedgerModel
import LedgerSystem
import LedgerTestSupport
import SystemPackage
import Testing

@testable import LedgerCommands

/// `explain --why-waiting`: what stands before a download, as the plan has it.
struct WaitingTests {
    @Test func `without a holder the reason is that nothing runs, besides what would hold it anyway`() async throws {
        let shell = try Shell()
        #expect(await shell.run("add", "http://a/x", "http://a/y").code == 0)
        let first = await shell.run("explain", "1", "--why-waiting")
        #expect(first.code == 0)
        #expect(first.output.hasPrefix("1 x is queued:\n  nobody works the queue off: no process holds the ledger\n"))
        #expect(first.output.hasSuffix("    next:  'ledger run' does\n"))
        #expect(await shell.run("pause", "2").code == 0)
        let paused = await shell.run("explain", "2", "--why-waiting", "--json")
        #expect(
            paused.output.hasPrefix(
                #"{"id":2,"state":"paused","holder":null,"reasons":[{"reason":"paused","words":"it is paused","#))
        #expect(paused.output.contains(#"{"reason":"not-running","#) && paused.lines.count == 1)
        #expect(await shell.run("cancel", "2").code == 0)
        let ended = await shell.run("explain", "2", "--why-waiting")
        #expect(ended.output.contains("  it waits for nothing: it is cancelled\n    next:  'ledger retry 2'"))
        #expect(!ended.output.contains("nobody"))
    }

    @Test func `who holds the ledger and can not be asked is not called nobody`() async throws {
        let shell = try Shell()
        #expect(await shell.run("add", "http://a/x").code == 0)
        let lock = try #require(try RealFileSystem().lock(shell.directory.appending("home/ledger.lock")))
        let why = await shell.run("explain", "1", "--why-waiting", "--json")
        #expect(why.output.contains(#""holder":null,"reasons":[{"reason":"not-answering","#), "\(why.output)")
        #expect(await shell.run("limit").code == 11)
        lock.unlock()
        #expect(await shell.run("limit").code == 1)
    }

    @Test func `an instant and hours are told with when they come`() async throws {
        let shell = try Shell()
        #expect(await shell.run("add", "--not-before", "2h", "http://a/x").code == 0)
        let later = await shell.run("explain", "1", "--why-waiting")
        #expect(later.output.contains("  it is not to start before "), "\(later.output)")
        // Of two windows that leave no gap, one is closed at any time.
        for (id, window) in [("2", "00:00-12:00"), ("3", "12:00-00:00")] {
            #expect(await shell.run("add", "--window", window, "http://a/\(id)").code == 0)
        }
        let both = [
            await shell.run("explain", "2", "--why-waiting", "--json"),
            await shell.run("explain", "3", "--why-waiting", "--json"),
        ]
        #expect(both.count { $0.output.contains(#""reason":"window""#) } == 1, "\(both)")
    }

    @Test(.timeLimit(.minutes(30))) func `beside a holder its limits and its work are the reasons`() async throws {
        let (shell, gate) = (try Shell(), OriginGate())
        let file = OriginEntity(OriginEntity.pattern(20_000))
        let origin = try await OriginServer.start()
        for path in ["/a.bin", "/b.bin", "/c.bin"] {
            origin.on(path) { request in
                var reply = file.reply(to: request)
                reply.steps = [reply.steps[0], .bytes(Array(file.bytes[..<9_000])), .gate(gate)]
                return reply
            }
        }
        let urls = try ["/a.bin", "/b.bin", "/c.bin"].map { try origin.url($0).text }
        let (interrupts, interrupt) = AsyncStream.makeStream(of: Void.self)
        async let running = shell.run(["get", "-d", "out", "--jobs", "1"] + urls, interrupts: interrupts)
        await gate.reached()
        let waits = await shell.run("explain", "3", "--why-waiting")
        #expect(waits.output.contains("  1 download runs, as many as may\n"), "\(waits.output)")
        #expect(waits.output.contains("  1 download stands before it in the queue\n"), "\(waits.output)")
        #expect(!waits.output.contains("nobody works"), "\(waits.output)")
        let runs = await shell.run("explain", "1", "--why-waiting")
        #expect(runs.output == "1 a.bin: it runs\n", "\(runs.output)")
        interrupt.yield()
        gate.open()
        _ = await running
        try await origin.stop()
    }
}
