import CLedgerSystem
import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The socket on which a service manager hears how a service does, as sd_notify(3) has it: datagrams of lines
/// `NAME=VALUE` to the address in `NOTIFY_SOCKET`, a path or, after `@`, an abstract name of Linux.
package struct NotifySocket: Hashable, Sendable {
    /// The longest datagram in bytes that is sent; a longer one would say too much.
    package static let bytesMax = 4096

    /// The address as the environment has it.
    package let address: String

    /// The socket that an address names; nil for one of another family (`vsock:`), which is not spoken.
    package init?(_ address: String) {
        guard address.hasPrefix("/") || address.hasPrefix("@") && address.utf8.count > 1 else { return nil }
        self.address = address
    }

    /// Sends lines in one datagram; never waits for the other end to read it. `sendto(2)`.
    /// - Throws: `ENOENT` or `ECONNREFUSED` when nobody listens any more, `EAGAIN` when the other end reads nothing,
    ///   `EMSGSIZE` beyond ``bytesMax`` and for nothing at all.
    package func send(_ lines: [String]) throws(FileError) {
        let bytes = Array(lines.joined(separator: "\n").utf8)
        let path = FilePath(address)
        guard (1...Self.bytesMax).contains(bytes.count) else { throw FileError("sendto", path, .messageTooLong) }
        try systemCall("sendto", path) {
            unsafe address.withCString { name in
                unsafe bytes.withUnsafeBytes { unsafe ledger_local_tell(name, $0.baseAddress!, $0.count) }
            }
        }
    }

    /// The time in microseconds by the clock that a service manager dates a reload with. `CLOCK_MONOTONIC`.
    package static var monotonicMicroseconds: UInt64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(max(0, nanoseconds(time))) / 1_000
    }
}
