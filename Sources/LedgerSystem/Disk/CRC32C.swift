import CLedgerSystem

/// CRC-32C (Castagnoli, RFC 3720 appendix B.4) by the processor's instruction where it has one.
package enum CRC32C {
    /// The sum of `bytes`, carrying on from `seed`: the sum of a whole is the sum of its parts in a chain.
    package static func checksum(_ bytes: Span<UInt8>, seed: UInt32 = 0) -> UInt32 {
        unsafe checksum(bytes.bytes, seed: seed)
    }

    /// The sum of `bytes`, carrying on from `seed`.
    package static func checksum(_ bytes: RawSpan, seed: UInt32 = 0) -> UInt32 {
        unsafe bytes.withUnsafeBytes { unsafe ledger_crc32c(seed, $0.baseAddress, $0.count) }
    }

    /// The sum of `bytes` without the four at `offset`, where the sum itself is kept.
    package static func checksum(_ bytes: Span<UInt8>, exceptAt offset: Int, seed: UInt32) -> UInt32 {
        let head = checksum(bytes.extracting(..<offset), seed: seed)
        return checksum(bytes.extracting((offset + 4)...), seed: head)
    }

    /// The sum of a whole of two parts, of which only the sums are known, and the length of the second in bytes.
    ///
    /// To append n zero bytes is to multiply by x^8n modulo the polynomial; the rest is linear. As `crc32_combine` of
    /// zlib.
    package static func combined(_ first: UInt32, _ second: UInt32, secondBytes: UInt64) -> UInt32 {
        var (factor, left, power) = (UInt32(1) << 31, secondBytes, 0)
        while left > 0 {
            if left & 1 == 1 { factor = product(powers[power], factor) }
            left >>= 1
            power += 1
        }
        return product(factor, first) ^ second
    }

    /// x^8, x^16, x^32 and so on, each the square of the one before: enough for any length of 64 bits.
    private static let powers: [UInt32] = {
        var powers = [UInt32(1) << 23]
        while powers.count < 64 { powers.append(product(powers[powers.count - 1], powers[powers.count - 1])) }
        return powers
    }()

    /// The polynomial of Castagnoli, its bits reversed.
    package static let polynomial: UInt32 = 0x82F6_3B78

    /// The product of two polynomials, bits reversed, modulo the polynomial.
    private static func product(_ one: UInt32, _ other: UInt32) -> UInt32 {
        var (sum, multiple) = (UInt32(0), other)
        for bit in (0..<32).reversed() {
            if one >> UInt32(bit) & 1 == 1 { sum ^= multiple }
            multiple = multiple & 1 == 1 ? multiple >> 1 ^ polynomial : multiple >> 1
        }
        return sum
    }
}
