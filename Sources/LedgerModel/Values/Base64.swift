/// The digits of base64 (RFC 4648, section 4), by their values.
private let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

/// Bytes in base64 (RFC 4648, section 4).
package func base64(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 3) {
        let group = bytes[start..<min(start + 3, bytes.count)]
        let bits = group.reduce(0) { $0 << 8 | UInt32($1) } << (8 * UInt32(3 - group.count))
        for place in 0..<4 {
            text.append(place <= group.count ? digits[Int(bits >> (18 - 6 * UInt32(place)) & 63)] : UInt8(ascii: "="))
        }
    }
    return String(decoding: text, as: UTF8.self)
}

/// Undoes base64 whose padding may be left out; nil for any other byte, or for an end that no bytes give.
package func bytes(ofBase64 text: some Sequence<UInt8>) -> [UInt8]? {
    var result: [UInt8] = []
    var (bits, count, padding) = (UInt32(0), 0, 0)
    for byte in text {
        if byte == UInt8(ascii: "=") {
            padding += 1
            continue
        }
        guard padding == 0, let value = digits.firstIndex(of: byte) else { return nil }
        bits = bits << 6 | UInt32(value)
        count += 1
        if count.isMultiple(of: 4) {
            for shift in [UInt32(16), 8, 0] { result.append(UInt8(truncatingIfNeeded: bits >> shift)) }
            bits = 0
        }
    }
    switch count % 4 {
    case 0: return padding == 0 ? result : nil
    case 2 where padding == 0 || padding == 2: return result + [UInt8(truncatingIfNeeded: bits >> 4)]
    case 3 where padding == 0 || padding == 1:
        return result + [UInt8(truncatingIfNeeded: bits >> 10), UInt8(truncatingIfNeeded: bits >> 2)]
    default: return nil
    }
}
