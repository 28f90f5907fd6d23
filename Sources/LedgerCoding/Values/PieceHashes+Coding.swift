package import LedgerModel

extension PieceHashes {
    /// Writes the hashes' fields: 1 algorithm (its number), 2 length of a piece, 3 the hashes one behind the other.
    package func encode(into writer: inout FieldWriter) {
        writer.uint(1, algorithm.number)
        writer.uint(2, pieceLength)
        writer.bytes(3, bytes)
    }

    /// Reads what ``encode(into:)`` wrote.
    package static func decode(_ source: FieldReader) throws(CodingError) -> PieceHashes {
        var reader = source
        let number = try reader.required(1)
        let pieceLength = try reader.required(2).count()
        let bytes = try reader.required(3)
        try reader.finish()
        guard let algorithm = Digest.Algorithm(number: try number.uint()) else { throw number.badValue }
        let sums = Array(copying: try bytes.bytes())
        guard let hashes = PieceHashes(algorithm, pieceLength: pieceLength, bytes: sums) else {
            throw bytes.badValue
        }
        return hashes
    }
}
