import LedgerSystem
import SystemPackage
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Children, signals and what a process knows of itself.
@Suite struct ProcessTests {
    @Test func `a child's status and its arguments arrive`() async throws {
        let child = try ChildProcess("/bin/sh", ["-c", "exit $1", "sh", "7"])
        #expect(await child.wait() == 7)
        #expect(await child.wait() == 7, "again")
        child.send(.kill)
    }

    @Test func `work in large pages comes to what it comes to without them`() throws {
        let made = LargePages.during { LargePages.during { [UInt8](repeating: 7, count: 3 << 20) } }
        #expect(made.allSatisfy { $0 == 7 })
        let problem = FileError("read", "/a", .ioError)
        #expect(throws: problem) { try LargePages.during { () throws(FileError) in throw problem } }
    }

    @Test func `a child has the environment it was given, or ours`() async throws {
        let given = try ChildProcess("/bin/sh", ["-c", "test \"$A\" = b -a -z \"$HOME\""], environment: ["A": "b"])
        #expect(await given.wait() == 0)
        let path = try #require(CurrentProcess.environment("PATH"))
        let ours = try ChildProcess("/bin/sh", ["-c", "test \"$PATH\" = \"$1\"", "sh", path])
        #expect(await ours.wait() == 0)
    }

    @Test func `a killed child says by what`() async throws {
        let child = try ChildProcess("/bin/cat", ["/dev/zero"], output: .discarded, errors: .discarded)
        child.send(.kill)
        #expect(await child.wait() == 128 + 9)
    }

    @Test func `a program that is not there can not be started`() {
        expect(.noSuchFileOrDirectory) { () throws(FileError) in _ = try ChildProcess("/no/such/program", []) }
    }

    @Test func `a caught signal is an element and not an end`() async throws {
        var signals = try Signals.caught().makeAsyncIterator()
        let child = try ChildProcess("/bin/sh", ["-c", "kill -HUP $1", "sh", "\(CurrentProcess.id)"])
        #expect(await signals.next() == .hangUp)
        #expect(await child.wait() == 0)
    }

    @Test func `a process knows itself`() throws {
        #expect(CurrentProcess.id > 1)
        #expect(try CurrentProcess.residentBytes() > 1 << 20)
        #expect(try RealFileSystem().status(of: CurrentProcess.executable())?.kind == .regular)
        #expect(try RealFileSystem().status(of: CurrentProcess.currentDirectory())?.kind == .directory)
        #expect(CurrentProcess.environment["PATH"] == CurrentProcess.environment("PATH"))
        #expect(CurrentProcess.environment("LEDGER_NO_SUCH_VARIABLE") == nil)
        #expect(CurrentProcess.homeDirectory != nil)
        #expect(Terminal.size(behind: 2).columns > 0)
    }

    @Test func `output is written whole, and a closed pipe is an error and not a death`() async throws {
        var ends: [CInt] = [0, 0]
        try #require(pipe(&ends) == 0)
        // A child that another test starts meanwhile would keep the reading end open.
        for end in ends { try #require(fcntl(end, F_SETFD, FD_CLOEXEC) == 0) }
        let output = Output(descriptor: ends[1], "the pipe")
        #expect(output.terminal == nil)
        try output.write("grüße\n")
        var buffer = [UInt8](repeating: 0, count: 64)
        #expect(read(ends[0], &buffer, 64) == "grüße\n".utf8.count)
        close(ends[0])
        // And holds it until it is what it is started as.
        var end = pollfd(fd: ends[1], events: 0, revents: 0)
        #expect(poll(&end, 1, 10_000) == 1)
        let failure = #expect(throws: FileError.self) { try output.write("more") }
        #expect(failure == FileError("write", "the pipe", .brokenPipe))
        #expect(failure?.isBrokenPipe == true)
        close(ends[1])
    }
}
