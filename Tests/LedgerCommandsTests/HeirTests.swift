import LedgerEngine
import LedgerSystem
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
