/// What the pieces of a file hash to, as a Metalink states it (RFC 5854, section 4.2.15): all of one length, but for
/// the last, which may be shorter.
package struct PieceHashes: Hashable, Sendable {
    /// The most bytes that the hashes of one order may take together: 32,768 pieces by SHA-256.
    package static let bytesMax = 1 << 20

    /// How each piece is hashed.
    package let algorithm: Digest.Algorithm
    /// The length of a piece in bytes; 1 to ``FileIdentity/lengthMax``.
    package let pieceLength: UInt64
    /// The hashes, one behind the other, in the order of the pieces.
    package let bytes: [UInt8]

    /// Hashes as a publisher states them; nil when the length is zero or too long, the bytes are not whole hashes, or
    /// too many.
    package init?(_ algorithm: Digest.Algorithm, pieceLength: UInt64, bytes: [UInt8]) {
        guard pieceLength > 0, pieceLength <= FileIdentity.lengthMax, !bytes.isEmpty, bytes.count <= Self.bytesMax,
            bytes.count.isMultiple(of: algorithm.byteCount)
        else { return nil }
        self.algorithm = algorithm
        self.pieceLength = pieceLength
        self.bytes = bytes
    }

    /// How many pieces are stated.
    package var count: Int { bytes.count / algorithm.byteCount }

    /// What the piece at `index` must hash to.
    package subscript(index: Int) -> Digest {
        let start = index * algorithm.byteCount
        guard let digest = Digest(algorithm, Array(bytes[start..<start + algorithm.byteCount])) else {
            preconditionFailure("a piece's hash has as many bytes as its algorithm gives")
        }
        return digest
    }

    /// Whether a file of `length` bytes has just these pieces.
    package func fits(_ length: UInt64) -> Bool {
        let (whole, rest) = length.quotientAndRemainder(dividingBy: pieceLength)
        return whole + (rest > 0 ? 1 : 0) == UInt64(count)
    }

    /// The most bytes that a file with these pieces has.
    package var lengthMax: UInt64 {
        let (length, isOver) = pieceLength.multipliedReportingOverflow(by: UInt64(count))
        return isOver ? .max : length
    }

    /// The bytes of the piece at `index`, of a file of `length` bytes that it fits.
    package func range(of index: Int, length: UInt64) -> Range<UInt64> {
        let start = UInt64(index) * pieceLength
        return start..<min(start + pieceLength, length)
    }
}
