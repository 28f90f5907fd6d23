import CLedgerSystem
import Synchronization
package import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// One end of a conversation over a Unix-domain socket: whole messages, each after its length in four bytes,
/// little-endian. Calls block; ``close()`` from any thread ends them.
///
/// A message may be long in coming. One that has begun must go on: a process at the other end that was stopped holds
/// nobody up for longer than ``silenceMillisecondsMax``.
package final class LocalConnection: Sendable {
    /// The longest message in bytes; a longer one is refused with `EMSGSIZE` and, when it arrives, ends the connection.
    package static let messageBytesMax = 64 << 20
    /// How long `connect(2)` waits for a listener that has as many connections as it takes, in milliseconds.
    private static let connectMillisecondsMax: Int64 = 2_000
    /// How long a message that has begun may stand still, in milliseconds, unless told otherwise.
    package static let silenceMillisecondsMax: Int64 = 10_000
    /// How much is asked of `recv(2)` at once, so that a length alone takes no memory.
    private static let receiveBytesMax = 1 << 20

    /// The socket's path, for messages.
    package let path: FilePath
    private let descriptor: Descriptor
    private let sending = Mutex(())
    private let isClosed = Atomic(false)

    init(path: FilePath, descriptor: CInt, silenceMillisecondsMax: Int64) throws(FileError) {
        self.path = path
        self.descriptor = Descriptor(descriptor)
        try systemCall("setsockopt", path) { ledger_local_bound(descriptor, silenceMillisecondsMax) }
    }

    /// Connects to a listener. `connect(2)`; waits a moment while the listener has as many connections as it takes.
    /// - Throws: `ENOENT` when there is no socket, `ECONNREFUSED` when nobody listens on it any more, `ETIMEDOUT` when
    ///   the listener takes no more connections.
    package static func connect(
        to path: FilePath, silenceMillisecondsMax: Int64 = silenceMillisecondsMax
    ) throws(FileError) -> LocalConnection {
        let number = try systemCall("socket", path) { ledger_local_socket() }
        let connection = try LocalConnection(
            path: path, descriptor: number, silenceMillisecondsMax: connectMillisecondsMax)
        try withSocketPath(path) { short throws(FileError) in
            _ = try boundedCall("connect", path) {
                unsafe short.withPlatformString { unsafe ledger_local_connect(number, $0) }
            }
        }
        try systemCall("setsockopt", path) { ledger_local_bound(number, silenceMillisecondsMax) }
        return connection
    }

    /// Sends a message, whole; several threads may, one message after the other.
    /// - Throws: `EPIPE` or `ECONNRESET` when the other end is gone, `ETIMEDOUT` when it takes nothing for as long as a
    ///   message may stand still (the conversation is of no use then), `EMSGSIZE` for one that is too long.
    package func send(_ message: [UInt8]) throws(FileError) {
        guard message.count <= Self.messageBytesMax else { throw FileError("send", path, .messageTooLong) }
        let length = UInt32(message.count).littleEndian
        let header = (0..<4).map { UInt8(truncatingIfNeeded: length >> (8 * $0)) }
        try sending.withLock { _ throws(FileError) in try sendBytes(header + message) }
    }

    /// Waits until ``receive()`` has something to answer: a message that begins, or the end. `poll(2)`.
    /// - Parameter milliseconds: how long at most; below zero without end.
    /// - Returns: false when there was nothing for so long.
    package func hasNews(withinMilliseconds milliseconds: Int32) throws(FileError) -> Bool {
        try descriptor.use("poll", path) { number throws(FileError) in
            try systemCall("poll", path) {
                var entry = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
                return unsafe poll(&entry, 1, milliseconds)
            } > 0
        }
    }

    /// The next message, however long it is in coming; nil when the other end has closed, or this one.
    /// - Throws: `ECONNRESET` when the other end is gone within a message, `ETIMEDOUT` when it stands still within one,
    ///   `EMSGSIZE` when it announces too much.
    package func receive() throws(FileError) -> [UInt8]? {
        do throws(FileError) {
            _ = try hasNews(withinMilliseconds: -1)
            guard let header = try receiveBytes(4, mayEnd: true) else { return nil }
            let length = header.reversed().reduce(0) { $0 << 8 | Int($1) }
            guard length <= Self.messageBytesMax else {
                close()
                throw FileError("recv", path, .messageTooLong)
            }
            return try receiveBytes(length, mayEnd: false)
        } catch {
            if isClosed.load(ordering: .acquiring) && error.errno != .messageTooLong { return nil }
            throw error
        }
    }

    /// Ends the conversation, and with it calls that wait. `shutdown(2)`, then `close(2)`.
    package func close() {
        isClosed.store(true, ordering: .releasing)
        descriptor.shutDown()
    }

    /// Whether the process at the other end is ours: it runs as the same user, or as root.
    func peerIsTrusted() throws(FileError) -> Bool {
        let user = try descriptor.use("getsockopt", path) { number throws(FileError) in
            try systemCall("getsockopt", path) { ledger_local_peer_user(number) }
        }
        return user == 0 || user == Int64(geteuid())
    }
}

extension LocalConnection {
    private func sendBytes(_ bytes: [UInt8]) throws(FileError) {
        try descriptor.use("send", path) { number throws(FileError) in
            var sent = 0
            while sent < bytes.count {
                let count = try boundedCall("send", path) {
                    unsafe bytes.withUnsafeBytes { buffer in
                        unsafe ledger_local_send(number, buffer.baseAddress! + sent, buffer.count - sent)
                    }
                }
                sent += Int(count)
            }
        }
    }

    /// Exactly `count` bytes; nil when the conversation ends before the first and that is fine.
    private func receiveBytes(_ count: Int, mayEnd: Bool) throws(FileError) -> [UInt8]? {
        try descriptor.use("recv", path) { number throws(FileError) in
            try receiveAll(number, count, mayEnd: mayEnd)
        }
    }

    private func receiveAll(_ number: CInt, _ count: Int, mayEnd: Bool) throws(FileError) -> [UInt8]? {
        var bytes: [UInt8] = []
        while bytes.count < count {
            let part = try receiveSome(number, min(count - bytes.count, Self.receiveBytesMax))
            if part.isEmpty {
                if mayEnd && bytes.isEmpty { return nil }
                throw FileError("recv", path, .connectionReset)
            }
            if part.count == count { return part }
            bytes += part
        }
        return bytes
    }

    /// Up to `count` bytes as they come; none at the end.
    private func receiveSome(_ number: CInt, _ count: Int) throws(FileError) -> [UInt8] {
        var code: Errno?
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            var got = 0
            repeat { unsafe got = recv(number, buffer.baseAddress, count, 0) } while got < 0 && errno == EINTR
            if got < 0 { code = currentErrno() }
            filled = max(0, got)
        }
        if let code { throw silence(FileError("recv", path, code)) }
        return bytes
    }
}

/// A call on a socket whose silence is bounded.
private func boundedCall<Answer: SignedInteger & Sendable>(
    _ call: String, _ path: FilePath, _ body: () -> Answer
) throws(FileError) -> Answer {
    do throws(FileError) { return try systemCall(call, path, body) } catch { throw silence(error) }
}

/// `EAGAIN` of a call that may block means that its bound has passed.
private func silence(_ error: FileError) -> FileError {
    error.errno == .resourceTemporarilyUnavailable ? FileError(error.call, error.path, .timedOut) : error
}
