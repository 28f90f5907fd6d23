import LedgerModel
import LedgerSystem
import LedgerTestSupport
import SystemPackage
import Testing

/// What a service manager is told, over real sockets.
struct NotifySocketTests {
    private let name = "ledger-notify-\(String(UInt64.random(in: 0 ... .max), radix: 36))"

    #if os(Linux)
        @Test func `an abstract name is spoken to`() async throws {
            let listener = try NotifyListener("@" + name)
            try #require(NotifySocket(listener.address)).send(["READY=1", "STATUS=at work"])
            #expect(await listener.next("READY=1") == ["READY=1", "STATUS=at work"])
        }
    #endif

    @Test func `a path is spoken to, and one where nobody listens is an error`() async throws {
        let path = FilePath("/tmp/\(name)")
        let socket = try #require(NotifySocket(path.string))
        #expect(throws: FileError("sendto", path, .noSuchFileOrDirectory)) { try socket.send(["READY=1"]) }
        let listener = try NotifyListener(path.string)
        try socket.send(["WATCHDOG=1"])
        #expect(await listener.next("WATCHDOG") == ["WATCHDOG=1"])
        try RealFileSystem().unlink(path)
    }

    @Test func `what is no address of ours, and what says too much, is refused`() throws {
        for address in ["", "@", "vsock:2:1234", "relative"] { #expect(NotifySocket(address) == nil) }
        let path = FilePath("/nowhere")
        let socket = try #require(NotifySocket(path.string))
        let long = String(repeating: "x", count: NotifySocket.bytesMax + 1)
        for lines in [[long], [], [""]] {
            #expect(throws: FileError("sendto", path, .messageTooLong)) { try socket.send(lines) }
        }
        let far = try #require(NotifySocket("/" + String(repeating: "x", count: 120)))
        #expect(throws: FileError.self) { try far.send(["READY=1"]) }
    }

    @Test func `the clock of reloads goes on`() {
        let first = NotifySocket.monotonicMicroseconds
        #expect(first > 0 && NotifySocket.monotonicMicroseconds >= first)
    }
}
