/// An address of IPv4, as four decimal numbers, or of IPv6 (RFC 4291, section 2.2).
package struct IPAddress: Hashable, Sendable {
    /// 4 or 16 bytes, the first of them first.
    package let bytes: [UInt8]

    /// The address that a text is; nil when it is a name or nothing at all. An address of IPv6 may stand in brackets.
    package init?(parsing text: some StringProtocol) {
        let isBracketed = text.hasPrefix("[") && text.hasSuffix("]")
        let bare = isBracketed ? String(text.dropFirst().dropLast()) : String(text)
        let bytes = bare.contains(":") ? Self.version6(bare[...]) : isBracketed ? nil : Self.version4(bare[...])
        guard let bytes else { return nil }
        self.bytes = bytes
    }

    /// Whether the first `bits` bits are those of `network`, which is of the same version.
    package func isWithin(_ network: IPAddress, bits: Int) -> Bool {
        guard bytes.count == network.bytes.count, (0...8 * bytes.count).contains(bits) else { return false }
        let (whole, rest) = bits.quotientAndRemainder(dividingBy: 8)
        guard bytes[..<whole] == network.bytes[..<whole] else { return false }
        return rest == 0 || (bytes[whole] ^ network.bytes[whole]) >> UInt8(8 - rest) == 0
    }

    private static func version4(_ text: Substring) -> [UInt8]? {
        let numbers = text.split(separator: ".", omittingEmptySubsequences: false)
        guard numbers.count == 4 else { return nil }
        var bytes: [UInt8] = []
        for number in numbers {
            let isPlain = number.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            // A zero ahead means octal to some, so it means nothing here.
            guard isPlain, number == "0" || !number.hasPrefix("0"), let byte = UInt8(number) else { return nil }
            bytes.append(byte)
        }
        return bytes
    }

    private static func version6(_ text: Substring) -> [UInt8]? {
        guard let gap = text.firstRange(of: "::") else {
            guard let all = groups(text, isEnd: true), all.count == 16 else { return nil }
            return all
        }
        guard let head = groups(text[..<gap.lowerBound], isEnd: false),
            let tail = groups(text[gap.upperBound...], isEnd: true), head.count + tail.count <= 14
        else { return nil }
        return head + Array(repeating: 0, count: 16 - head.count - tail.count) + tail
    }

    /// The bytes of groups with colons between them; the last of all may be an address of IPv4.
    private static func groups(_ text: Substring, isEnd: Bool) -> [UInt8]? {
        if text.isEmpty { return [] }
        var bytes: [UInt8] = []
        let groups = text.split(separator: ":", omittingEmptySubsequences: false)
        for (index, group) in groups.enumerated() {
            if isEnd, index == groups.count - 1, group.contains(".") {
                guard let last = version4(group) else { return nil }
                return bytes + last
            }
            guard (1...4).contains(group.utf8.count), group.first != "+", let number = UInt16(group, radix: 16) else {
                return nil
            }
            bytes += [UInt8(number >> 8), UInt8(truncatingIfNeeded: number)]
        }
        return bytes
    }
}
