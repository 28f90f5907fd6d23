import LedgerEngine
import LedgerLog
import LedgerModel
import LedgerSystem
import LedgerTestSupport
import Synchronization
import Testing

/// Who gets a ledger next that many want.
struct HeirTests {
    private func lock(_ shell: Shell) throws -> (any FileLock)? {
        try RealFileSystem().lock(LedgerHome(shell.home).heir)
    }

    @Test func `short commands leave the ledger to one that waits for it, and not for ever`() async throws {
        let shell = try Shell()
        #expect(await shell.run("add", "http://a/x").code == 0)
        let heir = try #require(try lock(shell))
        let kept = await shell.run("add", "http://a/y", patience: .milliseconds(40), answerPatience: .seconds(60))
        #expect(kept.code == 11, "\(kept.errors)")
        #expect(await shell.run("add", "http://a/y", answerPatience: .zero).code == 0)
        heir.unlock()
        #expect(await shell.run("add", "http://a/z").code == 0)
    }

    @Test func `who waits for the ledger has the next turn, however long another holds it`() async throws {
        let clock = ManualClock(.epoch)
        let shell = try Shell(clock: clock)
        #expect(await shell.run("add", "http://a/x").code == 0)
        let heir = try #require(try lock(shell))
        func take() throws -> (any FileLock)? { try RealFileSystem().lock(LogHome(shell.home).lock) }
        let held = try #require(try take())
        let end = End()
        let asked = Task {
            let result = await shell.run("add", "http://a/y", patience: .seconds(3600), answerPatience: .seconds(2))
            end.code.withLock { $0 = result.code }
        }
        func pass(until instant: Duration) async {
            while clock.uptime() < instant, end.code.withLock({ $0 == nil }) {
                if clock.sleeperCount > 0 { clock.advance(by: .milliseconds(30)) }
                await Task.yield()
            }
        }
        await pass(until: .seconds(10))
        held.unlock()
        await pass(until: .milliseconds(11_800))
        // It only looks whether the lock is free, and does not hold it.
        var free: (any FileLock)?
        while free == nil, end.code.withLock({ $0 == nil }) { free = try take() }
        #expect(end.code.withLock { $0 } == nil)
        free?.unlock()
        await clock.passes(every: .milliseconds(30)) { await asked.value }
        #expect(end.code.withLock { $0 } == 0)
        heir.unlock()
    }

    @Test func `run says that it waits, until it is over`() async throws {
        let shell = try Shell()
        #expect(await shell.run("add", "http://a/x").code == 0)
        let holder = try SilentHolder(shell.home, answers: false)
        let (interrupts, interrupt) = AsyncStream.makeStream(of: Void.self)
        async let result = shell.run("run", interrupts: interrupts, patience: .seconds(100_000))
        while holder.asked.withLock({ $0.isEmpty }) { await Task.yield() }
        #expect(try lock(shell) == nil)
        interrupt.yield()
        #expect(await result.code == 0)
        holder.leave()
        try #require(try lock(shell)).unlock()
    }
}

/// How a command ended; nil while it has not.
private final class End: Sendable {
    let code = Mutex<Int32?>(nil)
}
