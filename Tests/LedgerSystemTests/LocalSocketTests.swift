import SystemPackage
import Testing

@testable import LedgerSystem

/// Real sockets in a temporary directory.
@Suite struct LocalSocketTests {
    /// Answers each message with itself, reversed.
    private static func answerReversed(_ connection: LocalConnection) {
        do {
            while let message = try connection.receive() { try connection.send(message.reversed()) }
        } catch {
            Issue.record("\(error)")
        }
    }

    /// Runs `body` with a listener that answers reversed, at a path of its own.
    private func withListener(
        named name: FilePath.Component = "ledger.sock", _ body: (LocalListener, FilePath) throws -> Void
    ) throws {
        try withTemporaryDirectory { directory in
            let path = directory.appending(name)
            let listener = try LocalListener(at: path)
            try listener.start(Self.answerReversed)
            defer { listener.stop() }
            try body(listener, path)
        }
    }

    @Test func `messages of every size come back whole and in order`() throws {
        try withListener { _, path in
            let connection = try LocalConnection.connect(to: path)
            for count in [0, 1, 3, 4, 5, 70_000, 3 << 20] {
                let message = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
                try connection.send(message)
                #expect(try connection.receive() == message.reversed())
            }
        }
    }

    @Test func `the socket is for its owner alone`() throws {
        try withListener { _, path in
            let status = try #require(try RealFileSystem().status(of: path))
            #expect(status.permissions == 0o600)
        }
    }

    @Test func `nobody there, and nobody there any more, are told apart`() throws {
        try withTemporaryDirectory { directory in
            let path = directory.appending("ledger.sock")
            expect(.noSuchFileOrDirectory) { () throws(FileError) in _ = try LocalConnection.connect(to: path) }
            let listener = try LocalListener(at: path)
            expect(.addressInUse) { () throws(FileError) in _ = try LocalListener(at: path) }
            listener.stop()
            listener.stop()
            expect(.connectionRefused) { () throws(FileError) in _ = try LocalConnection.connect(to: path) }
            try RealFileSystem().unlink(path)
            let next = try LocalListener(at: path)
            next.stop()
        }
    }

    @Test func `a path longer than an address holds works all the same`() throws {
        try withTemporaryDirectory { directory in
            let deep = directory.appending(String(repeating: "d", count: 120))
            try RealFileSystem().createDirectory(deep, permissions: 0o700)
            let path = deep.appending("ledger.sock")
            let listener = try LocalListener(at: path)
            try listener.start(Self.answerReversed)
            defer { listener.stop() }
            let connection = try LocalConnection.connect(to: path)
            try connection.send([1, 2])
            #expect(try connection.receive() == [2, 1])
        }
    }

    @Test func `closing one end is the end at the other`() throws {
        try withListener { listener, path in
            let connection = try LocalConnection.connect(to: path)
            try connection.send([1])
            #expect(try connection.receive() == [1])
            listener.stop()
            #expect(try connection.receive() == nil)
            connection.close()
            connection.close()
            #expect(try connection.receive() == nil)
            expect(.badFileDescriptor) { () throws(FileError) in try connection.send([1]) }
        }
    }

    @Test func `closing wakes whoever waits for a message`() async throws {
        try await awaitWithTemporaryDirectory { directory in
            let path = directory.appending("ledger.sock")
            let listener = try LocalListener(at: path)
            try listener.start(Self.answerReversed)
            defer { listener.stop() }
            let connection = try LocalConnection.connect(to: path)
            let pool = BlockingPool(threads: 1)
            async let received = pool.run { () throws(FileError) in try connection.receive() }
            connection.close()
            #expect(try await received == nil)
        }
    }

    @Test func `an end that takes nothing and says nothing holds nobody up`() throws {
        try withTemporaryDirectory { directory in
            let path = directory.appending("ledger.sock")
            let listener = try LocalListener(at: path)
            let gate = Monitor(false)
            try listener.start { _ in _ = gate.wait { $0 ? true : nil } }
            defer { listener.stop() }
            let connection = try LocalConnection.connect(to: path, silenceMillisecondsMax: 20)
            #expect(try !connection.hasNews(withinMilliseconds: 20))
            let large = [UInt8](repeating: 0, count: 8 << 20)
            expect(.timedOut) { () throws(FileError) in try connection.send(large) }
            gate.change { $0 = true }
            #expect(try connection.hasNews(withinMilliseconds: -1))
        }
    }

    @Test func `a message that is too long is refused at both ends`() throws {
        try withListener { _, path in
            let connection = try LocalConnection.connect(to: path)
            let tooLong = [UInt8](repeating: 0, count: LocalConnection.messageBytesMax + 1)
            expect(.messageTooLong) { () throws(FileError) in try connection.send(tooLong) }
            try connection.send([5])
            #expect(try connection.receive() == [5], "a refusal sends nothing")
        }
    }

    @Test func `one connection more than there may be waits until another ends`() throws {
        try withListener { listener, path in
            var connections: [LocalConnection] = []
            for _ in 0..<LocalListener.connectionsMax {
                let connection = try LocalConnection.connect(to: path)
                try connection.send([1])
                #expect(try connection.receive() == [1])
                connections.append(connection)
            }
            #expect(listener.connectionCount == LocalListener.connectionsMax)
            let late = try LocalConnection.connect(to: path)
            try late.send([7])
            #expect(listener.connectionCount == LocalListener.connectionsMax)
            connections.removeFirst().close()
            #expect(try late.receive() == [7])
        }
    }
}
