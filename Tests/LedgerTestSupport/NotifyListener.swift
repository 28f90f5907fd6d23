import LedgerSystem
import Synchronization
import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A service manager's end of sd_notify(3): a real datagram socket that keeps what it is told.
package final class NotifyListener: Sendable {
    /// What `NOTIFY_SOCKET` says of it.
    package let address: String
    private let number: CInt
    private let thread = BlockingPool(threads: 1)
    private let heard = Mutex<[[String]]>([])

    /// Listens at a path or, after `@`, under an abstract name of Linux, until the process ends.
    package init(_ address: String) throws {
        self.address = address
        var name = sockaddr_un()
        name.sun_family = sa_family_t(AF_UNIX)
        var bytes = Array(address.utf8)
        if address.hasPrefix("@") { bytes[0] = 0 }
        withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: bytes) }
        let length = socklen_t(MemoryLayout<sockaddr_un>.offset(of: \.sun_path)! + bytes.count)
        #if canImport(Glibc)
            number = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        #else
            number = socket(AF_UNIX, SOCK_DGRAM, 0)
        #endif
        let bound = withUnsafePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(number, $0, length) }
        }
        guard bound == 0 else { throw FileError("bind", FilePath(address), Errno(rawValue: errno)) }
        Task { [self, thread] in await thread.run { self.listen() } }
    }

    /// What was said so far: the lines of each datagram.
    package var messages: [[String]] { heard.withLock { $0 } }

    /// Waits until a datagram has a line that begins so, and answers its lines.
    package func next(_ beginning: String) async -> [String] {
        while true {
            if let found = messages.first(where: { $0.contains { $0.hasPrefix(beginning) } }) { return found }
            await Task.yield()
        }
    }

    /// Forgets what was said so far.
    package func forget() { heard.withLock { $0 = [] } }

    private func listen() {
        var buffer = [UInt8](repeating: 0, count: 8192)
        while true {
            let count = recv(number, &buffer, buffer.count, 0)
            guard count >= 0 else { return }
            let lines = String(decoding: buffer[..<count], as: UTF8.self).split(separator: "\n").map(String.init)
            heard.withLock { $0.append(lines) }
        }
    }
}
