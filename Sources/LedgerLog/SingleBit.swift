/// Tells a batch in which one bit turned from one that was cut short.
///
/// A sum is linear: turning the bit with `m` bits after it changes a CRC by a number of `m` alone. So the bit can be
/// found, or shown not to exist, in one walk. Bytes that a power cut left behind differ in many bits; that they look
/// like a single one has a chance of the batch's bits in 2^32.
enum SingleBit {
    /// Whether the bytes at the start of `bytes` would be a whole batch if one bit of them were another.
    static func isWrong(_ bytes: Span<UInt8>, salt: UInt32) -> Bool {
        guard bytes.count >= BatchReader.lengthMin else { return false }
        if let length = BatchReader.length(bytes), length <= bytes.count {
            let batch = bytes.extracting(..<length)
            let computed = CRC32C.checksum(batch, exceptAt: 4, seed: salt)
            if explains(computed ^ batch.integer(at: 4), bits: (length - 4) * 8) { return true }
        }
        return hasWrongLength(bytes, salt: salt)
    }

    /// Whether one turned bit in `bits`, or one in the stored sum, makes this difference.
    private static func explains(_ difference: UInt32, bits: Int) -> Bool {
        if difference.nonzeroBitCount == 1 { return true }
        var effect = polynomial
        for _ in 0..<bits {
            if effect == difference { return true }
            effect = effect & 1 == 1 ? (effect >> 1) ^ polynomial : effect >> 1
        }
        return false
    }

    /// Whether the sum holds for the length with one bit turned.
    private static func hasWrongLength(_ bytes: Span<UInt8>, salt: UInt32) -> Bool {
        let stored: UInt32 = bytes.integer(at: 0)
        for bit in 0..<32 {
            var corrected: [UInt8] = []
            corrected.append(integer: stored ^ (1 << UInt32(bit)))
            corrected.append(contentsOf: [0, 0, 0, 0])
            guard let length = BatchReader.length(corrected.span), length <= bytes.count else { continue }
            let head = CRC32C.checksum(corrected.span.extracting(..<4), seed: salt)
            if CRC32C.checksum(bytes.extracting(8..<length), seed: head) == bytes.integer(at: 4) { return true }
        }
        return false
    }

    /// Castagnoli's polynomial, its bits reversed.
    private static let polynomial: UInt32 = 0x82F6_3B78
}
