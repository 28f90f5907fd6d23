import LedgerSystem

/// Tells a batch in which one bit turned from one that was cut short, and which bit it is.
///
/// A sum is linear: turning the bit with `m` bits after it changes a CRC by a number of `m` alone. So the bit can be
/// found, or shown not to exist, in one walk. Bytes that a power cut left behind differ in many bits; that they look
/// like a single one has a chance of the batch's bits in 2^32.
enum SingleBit {
    /// Whether the bytes at the start of `bytes` would be a whole batch if one bit of them were another.
    static func isWrong(_ bytes: Span<UInt8>, salt: UInt32) -> Bool { find(bytes, salt: salt) != nil }

    /// The bit that makes the bytes at the start of `bytes` a whole batch when it is turned: its byte, and the bit of
    /// that. Nil when there is none.
    static func find(_ bytes: Span<UInt8>, salt: UInt32) -> (byte: Int, bit: Int)? {
        guard bytes.count >= BatchReader.lengthMin else { return nil }
        if let length = BatchReader.length(bytes), length <= bytes.count {
            let batch = bytes.extracting(..<length)
            let computed = CRC32C.checksum(batch, exceptAt: 4, seed: salt)
            if let found = find(computed ^ batch.integer(at: 4), length: length) { return found }
        }
        return wrongLength(bytes, salt: salt)
    }

    /// The bit of a batch, or of its stored sum, that makes this difference.
    private static func find(_ difference: UInt32, length: Int) -> (byte: Int, bit: Int)? {
        if difference.nonzeroBitCount == 1 {
            let bit = difference.trailingZeroBitCount
            return (4 + bit / 8, bit % 8)
        }
        var effect = CRC32C.polynomial
        for bitsAfter in 0..<(length - 4) * 8 {
            if effect == difference {
                // The sum leaves out its own four bytes, which stand behind the length.
                let place = length - 5 - bitsAfter / 8
                return (place < 4 ? place : place + 4, 7 - bitsAfter % 8)
            }
            effect = effect & 1 == 1 ? (effect >> 1) ^ CRC32C.polynomial : effect >> 1
        }
        return nil
    }

    /// The bit of the length with which the sum holds when it is turned.
    private static func wrongLength(_ bytes: Span<UInt8>, salt: UInt32) -> (byte: Int, bit: Int)? {
        let stored: UInt32 = bytes.integer(at: 0)
        for bit in 0..<32 {
            var corrected: [UInt8] = []
            corrected.append(integer: stored ^ (1 << UInt32(bit)))
            corrected.append(contentsOf: [0, 0, 0, 0])
            guard let length = BatchReader.length(corrected.span), length <= bytes.count else { continue }
            let head = CRC32C.checksum(corrected.span.extracting(..<4), seed: salt)
            if CRC32C.checksum(bytes.extracting(8..<length), seed: head) == bytes.integer(at: 4) {
                return (bit / 8, bit % 8)
            }
        }
        return nil
    }
}
