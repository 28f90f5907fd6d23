import LedgerAPI
import Synchronization
import SystemPackage
import Testing

/// Holders that were stopped, or hang up: nobody waits for them without end, and no command is left with them.
struct SilentHolderTests {
    @Test func `those who read turn to the log, and those who write leave nothing behind`() async throws {
        let shell = try Shell()
        #expect(await shell.run("add", "http://a/x").code == 0)
        let recorded = await shell.run("list", "--json")
        let holder = try SilentHolder(shell.home, answers: false)
        let list = await shell.run("list", "--json", patience: .milliseconds(40), answerPatience: .milliseconds(40))
        #expect(list.code == 0 && list.output == recorded.output)
        #expect(list.errors == "the process that holds the ledger does not answer; this is what its log says\n")
        #expect(
            await shell.run("show", "1", "--json", patience: .milliseconds(40), answerPatience: .milliseconds(40))
                .output == recorded.output)
        let writing = [
            "add http://a/y", "get http://a/y", "run", "pause 1", "resume 1", "cancel 1", "retry 1",
            "move 1 --to first", "delete 1", "undo", "compact",
        ]
        for command in writing {
            let arguments = command.split(separator: " ").map { String($0) }
            let result = await shell.run(arguments, patience: .milliseconds(40), answerPatience: .milliseconds(40))
            #expect(result.code == 11, "\(command): \(result.errors)")
            #expect(result.errors.contains("does not answer; waiting for it\n"), "\(command): \(result.errors)")
            #expect(result.errors.contains("held: another process holds the ledger at '\(shell.home)' and can not"))
        }
        #expect(holder.asked.withLock { $0.allSatisfy { $0 == .status } })
        holder.leave()
        #expect(await shell.run("list", "--json").output == recorded.output)
    }

    @Test(arguments: ["get http://a/y", "run", "watch", "watch 1"])
    func `Ctrl-C ends the wait for a holder that says nothing`(command: String) async throws {
        let shell = try Shell()
        #expect(await shell.run("add", "http://a/x").code == 0)
        let holder = try SilentHolder(shell.home, answers: false)
        let (interrupts, interrupt) = AsyncStream.makeStream(of: Void.self)
        async let result = shell.run(
            command.split(separator: " ").map { String($0) }, interrupts: interrupts, patience: .seconds(100_000))
        while holder.asked.withLock({ $0.isEmpty }) { await Task.yield() }
        interrupt.yield()
        #expect(await result.code == (["run", "watch"].contains(command) ? 0 : 1))
        holder.leave()
    }

    @Test(arguments: ["get http://a/y", "add http://a/y"])
    func `a holder that hangs up on us again and again is not joined for ever`(command: String) async throws {
        let shell = try Shell()
        #expect(await shell.run("add", "http://a/x").code == 0)
        let holder = try SilentHolder(shell.home, answers: true)
        let result = await shell.run(
            command.split(separator: " ").map { String($0) }, patience: .milliseconds(40),
            answerPatience: .milliseconds(40))
        #expect(result.code == 11, "\(result.errors)")
        #expect(result.errors.contains("held: another process holds the ledger"), "\(result.errors)")
        holder.leave()
    }
}
