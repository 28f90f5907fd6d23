/// The gzip format (RFC 1952) without compression: every reader takes it, and it needs no library to write.
package enum GzipFile {
    private static let blockBytesMax = 0xFFFF

    /// A gzip file whose content is `bytes`, in stored blocks (RFC 1951, 3.2.4).
    package static func stored(_ bytes: [UInt8]) -> [UInt8] {
        var file: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255]
        var start = 0
        repeat {
            let end = min(start + blockBytesMax, bytes.count)
            let length = UInt16(end - start)
            file.append(end == bytes.count ? 1 : 0)
            file += littleEndian(UInt32(length) | UInt32(~length) << 16)
            file += bytes[start..<end]
            start = end
        } while start < bytes.count
        return file + littleEndian(crc32(bytes)) + littleEndian(UInt32(truncatingIfNeeded: bytes.count))
    }

    private static func littleEndian(_ value: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    /// The sum of RFC 1952, section 8: not the one of the log.
    private static func crc32(_ bytes: [UInt8]) -> UInt32 {
        var sum = UInt32.max
        for byte in bytes { sum = table[Int(UInt8(truncatingIfNeeded: sum) ^ byte)] ^ (sum >> 8) }
        return ~sum
    }

    private static let table = (UInt32(0)..<256).map { index in
        var sum: UInt32 = index
        for _ in 0..<8 {
            let shifted = sum >> 1
            sum = sum & 1 == 0 ? shifted : shifted ^ 0xEDB8_8320
        }
        return sum
    }
}
