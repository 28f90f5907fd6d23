/// The bytes of an IPv4 or IPv6 address, and whether it is one of the wide world.
package struct NetworkAddress: Hashable, Sendable {
    /// 4 or 16 bytes in network order.
    package let bytes: [UInt8]

    /// The address that a host of a URL is, without brackets; nil for a name.
    ///
    /// IPv4 in every form that `inet_aton(3)` takes, since resolvers do: `127.1`, `0x7f000001`, `017700000001`. IPv6 as
    /// ``IPAddress`` has it, with a zone behind it or without.
    package init?(literal text: String) {
        let isVersion6 = text.contains(":")
        let bytes = isVersion6 ? IPAddress(parsing: text.prefix { $0 != "%" })?.bytes : Self.version4(text)
        guard let bytes else { return nil }
        self.bytes = bytes
    }

    /// Whether a host is an address inside a private network, or a name that always is: `localhost` (RFC 6761). Of
    /// another name only the addresses tell that it stands for.
    package static func isPrivate(host: String) -> Bool {
        if let address = NetworkAddress(literal: host) { return address.isPrivate }
        let name = host.lowercased().split(separator: ".").last
        return name == "localhost"
    }

    /// Whether it is loopback, link-local, private, or of any other use that is not the public Internet's (RFC 6890);
    /// an IPv6 address that carries an IPv4 address is what that one is.
    package var isPrivate: Bool {
        guard bytes.count == 16 else { return Self.isPrivate4(bytes) }
        if let inner = embedded { return Self.isPrivate4(inner) }
        // Of IPv6 only 2000::/3 is given out for the public Internet (RFC 4291, section 2.4).
        guard bytes[0] & 0xE0 == 0x20 else { return true }
        return switch (bytes[0], bytes[1], bytes[2], bytes[3]) {
        case (0x20, 0x01, 0...1, _), (0x20, 0x01, 0x0D, 0xB8), (0x3F, 0xFF, 0...0x0F, _): true
        default: false
        }
    }

    private static func isPrivate4(_ bytes: [UInt8]) -> Bool {
        switch (bytes[0], bytes[1]) {
        case (0, _), (10, _), (127, _), (224..., _): true
        case (100, 64...127), (169, 254), (172, 16...31), (192, 168), (198, 18...19): true
        case (192, 0): bytes[2] == 0 || bytes[2] == 2
        case (192, 88): bytes[2] == 99
        case (198, 51): bytes[2] == 100
        case (203, 0): bytes[2] == 113
        default: false
        }
    }

    /// The IPv4 address in a mapped (`::ffff:0:0/96`), translated (`64:ff9b::/96`) or 6to4 (`2002::/16`) one.
    private var embedded: [UInt8]? {
        let zeros = [UInt8](repeating: 0, count: 8)
        if bytes.starts(with: zeros + [0, 0, 0xFF, 0xFF]) { return Array(bytes[12...]) }
        if bytes.starts(with: [0, 0x64, 0xFF, 0x9B] + zeros) { return Array(bytes[12...]) }
        return bytes.starts(with: [0x20, 0x02]) ? Array(bytes[2..<6]) : nil
    }

    /// One to four numbers, decimal, octal or hexadecimal; the last fills what is left of the 32 bits.
    private static func version4(_ text: String) -> [UInt8]? {
        var parts = text.split(separator: ".", omittingEmptySubsequences: false)
        if parts.count > 1, parts.last?.isEmpty == true { parts.removeLast() }
        let numbers = parts.compactMap(number)
        guard numbers.count == parts.count, (1...4).contains(numbers.count), let last = numbers.last else { return nil }
        let rest = 8 * (5 - numbers.count)
        guard numbers.dropLast().allSatisfy({ $0 <= 255 }), last < 1 << UInt64(rest) else { return nil }
        let head = numbers.dropLast().map { UInt8($0) }
        let tail = stride(from: rest - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: last >> UInt64($0)) }
        return head + tail
    }

    private static func number(_ text: Substring) -> UInt64? {
        guard let first = text.utf8.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else { return nil }
        if text.lowercased().hasPrefix("0x") { return text.count == 2 ? 0 : UInt64(text.dropFirst(2), radix: 16) }
        return UInt64(text, radix: first == UInt8(ascii: "0") ? 8 : 10)
    }
}
