import LedgerAPI
import LedgerModel
import LedgerSystem
import Synchronization
import SystemPackage
import Testing

@testable import LedgerCommands

/// Holders that were stopped, or hang up: nobody waits for them without end, and no command is left with them.
struct SilentHolderTests {
    /// Holds the lock and the socket of a home, keeps what it is sent, and answers as far as it is told.
    private final class Holder: Sendable {
        let asked = Mutex<[ControlRequest.Body]>([])
        private let lock: any FileLock
        private let listener: LocalListener

        /// - Parameter answers: false: it takes what it is sent and says nothing. True: it says who it is, and hangs
        ///   up when it is asked for anything else.
        init(_ home: FilePath, answers: Bool) throws {
            let fileSystem = RealFileSystem()
            lock = try #require(try fileSystem.lock(home.appending("ledger.lock")))
            let socket = home.appending("ledger.sock")
            if try fileSystem.status(of: socket) != nil { try fileSystem.unlink(socket) }
            listener = try LocalListener(at: socket)
            try listener.start { connection in
                do {
                    while let message = try connection.receive() {
                        let request = try ControlRequest(decoding: message)
                        self.asked.withLock { $0.append(request.body) }
                        guard answers else { continue }
                        guard case .status = request.body else { return }
                        let status = HolderStatus(processID: 7, programVersion: "0", last: .zero, running: 0)
                        try connection.send(try ControlResponse.status(status).encoded())
                    }
                } catch { Issue.record("\(error)") }
            }
        }

        func leave() {
            listener.stop()
            lock.unlock()
        }
    }

    @Test func `those who read turn to the log, and those who write leave nothing behind`() async throws {
        let shell = try Shell()
        #expect(await shell.run("add", "http://a/x").code == 0)
        let recorded = await shell.run("list", "--json")
        let holder = try Holder(shell.home, answers: false)
        let list = await shell.run("list", "--json", patience: .milliseconds(40))
        #expect(list.code == 0 && list.output == recorded.output)
        #expect(list.errors == "the process that holds the ledger does not answer; this is what its log says\n")
        #expect(await shell.run("show", "1", "--json", patience: .milliseconds(40)).output == recorded.output)
        let writing = [
            "add http://a/y", "get http://a/y", "run", "pause 1", "resume 1", "cancel 1", "retry 1",
            "move 1 --to first", "delete 1", "undo", "compact",
        ]
        for command in writing {
            let arguments = command.split(separator: " ").map { String($0) }
            let result = await shell.run(arguments, patience: .milliseconds(40))
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
        let holder = try Holder(shell.home, answers: false)
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
        let holder = try Holder(shell.home, answers: true)
        let result = await shell.run(
            command.split(separator: " ").map { String($0) }, patience: .milliseconds(40))
        #expect(result.code == 11, "\(result.errors)")
        #expect(result.errors.contains("held: another process holds the ledger"), "\(result.errors)")
        holder.leave()
    }
}
