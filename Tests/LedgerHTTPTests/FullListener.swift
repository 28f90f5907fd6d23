import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A port on loopback whose queue of connections is full: the kernel answers no further one, as a host that is down.
struct FullListener {
    let port: Int
    private let descriptors: [CInt]

    init() throws {
        let listener = try Self.stream()
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 0) == 0 && getsockname(listener, $0, &length) == 0
            }
        }
        guard isBound else { throw Errno(rawValue: errno) }
        port = Int(UInt16(bigEndian: address.sin_port))
        var open = [listener]
        // A queue for none holds one or two, as the kernel rounds it.
        for _ in 1...4 {
            let client = try Self.stream()
            guard fcntl(client, F_SETFL, O_NONBLOCK) == 0 else { throw Errno(rawValue: errno) }
            withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { _ = connect(client, $0, length) }
            }
            open.append(client)
        }
        descriptors = open
    }

    func end() { for descriptor in descriptors { _ = close(descriptor) } }

    private static func stream() throws -> CInt {
        #if canImport(Glibc)
            let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        #else
            let descriptor = socket(AF_INET, CInt(SOCK_STREAM), 0)
        #endif
        guard descriptor >= 0 else { throw Errno(rawValue: errno) }
        return descriptor
    }
}
