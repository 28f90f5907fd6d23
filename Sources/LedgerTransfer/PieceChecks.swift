package import LedgerModel

/// Which pieces of a file were hashed and found right, while it fills.
///
/// A publisher's hashes of the pieces tell early which bytes are wrong, so that only those are fetched again, and who
/// sent them. Nothing is taken for right that was not hashed in this attempt: also what an earlier one left.
package struct PieceChecks: Hashable, Sendable {
    /// The longest piece that is checked, in bytes: one is hashed in one turn.
    package static let pieceBytesMax: UInt64 = 64 << 20

    /// A piece of the file.
    package struct Piece: Hashable, Sendable {
        /// Its place, from 0.
        package let index: Int
        /// Its bytes.
        package let range: Range<UInt64>
        /// What it must hash to.
        package let digest: Digest
    }

    /// What the pieces must hash to.
    package let hashes: PieceHashes
    /// The length of the file in bytes.
    package let length: UInt64
    /// The bytes of the pieces that are right.
    package private(set) var right = ByteRangeSet()

    /// Checks of a file of `length` bytes, none made yet; nil when the hashes are not those of such a file, or of
    /// pieces longer than ``pieceBytesMax``.
    package init?(_ hashes: PieceHashes, length: UInt64) {
        guard hashes.fits(length), hashes.pieceLength <= Self.pieceBytesMax else { return nil }
        self.hashes = hashes
        self.length = length
    }

    /// Whether every piece is right.
    package var isComplete: Bool { right.prefixCount == length }

    /// The first piece that is whole in `written` and not known to be right; nil when there is none. O(ranges).
    package func due(in written: ByteRangeSet) -> Piece? {
        // What is right begins and ends where pieces do: a piece that is not stands in one range.
        for range in written.subtracting(right).ranges {
            let (whole, rest) = range.lowerBound.quotientAndRemainder(dividingBy: hashes.pieceLength)
            let index = Int(whole) + (rest == 0 ? 0 : 1)
            guard index < hashes.count else { return nil }
            let piece = hashes.range(of: index, length: length)
            if piece.upperBound <= range.upperBound {
                return Piece(index: index, range: piece, digest: hashes[index])
            }
        }
        return nil
    }

    /// Remembers that a piece hashed to what it must.
    package mutating func passed(_ piece: Piece) { right.insert(piece.range) }
}

extension ByteRangeSet {
    /// The bytes that both hold. O(ranges of both).
    package func intersection(_ other: ByteRangeSet) -> ByteRangeSet {
        var (common, mine, theirs) = ([Range<UInt64>](), ranges[...], other.ranges[...])
        while let first = mine.first, let second = theirs.first {
            let both =
                max(
                    first.lowerBound, second.lowerBound)..<max(
                    max(first.lowerBound, second.lowerBound), min(first.upperBound, second.upperBound))
            if !both.isEmpty { common.append(both) }
            if first.upperBound <= second.upperBound { mine.removeFirst() } else { theirs.removeFirst() }
        }
        return ByteRangeSet(normalized: common)
    }

    /// The bytes held that are not in `range`.
    package func subtracting(_ range: Range<UInt64>) -> ByteRangeSet { subtracting(ByteRangeSet(range)) }

    /// The bytes held that are not in `other`. O(ranges of both).
    package func subtracting(_ other: ByteRangeSet) -> ByteRangeSet {
        intersection(ByteRangeSet(normalized: other.gaps(upTo: .max)))
    }
}
