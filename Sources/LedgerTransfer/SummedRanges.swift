package import LedgerModel
import LedgerSystem

/// Ranges of a file with the CRC-32C of the bytes in each, as far as it is known.
///
/// The ranges grow and meet in any order; their sums are put together without looking at the bytes again.
package struct SummedRanges: Hashable, Sendable {
    private var extents: [Extent] = []

    fileprivate struct Extent: Hashable {
        var range: Range<UInt64>
        /// Nil when not all of its bytes were seen.
        var sum: UInt32?
    }

    /// The empty set.
    package init() {}

    /// What is on record: without a sum for each range, none is known.
    package init(_ ranges: ByteRangeSet, sums: RangeSums) {
        let (sums, isKnown) = (sums.values, sums.count == ranges.rangeCount)
        extents = ranges.ranges.enumerated().map { Extent(range: $1, sum: isKnown ? sums[$0] : nil) }
    }

    /// The ranges alone.
    package var ranges: ByteRangeSet { ByteRangeSet(normalized: extents.map(\.range)) }

    /// The sum of each range, in their order; empty when one is not known.
    package var sums: RangeSums {
        let known = extents.compactMap(\.sum)
        return known.count == extents.count ? RangeSums(known) : []
    }

    /// The bytes held without a hole from offset zero.
    package var prefixCount: UInt64 { prefix?.range.upperBound ?? 0 }

    /// The sum of those bytes; nil when it is not known, or there are none.
    package var prefixSum: UInt32? { prefix?.sum }

    private var prefix: Extent? { extents.first.flatMap { $0.range.lowerBound == 0 ? $0 : nil } }

    /// Whether a range of both has another sum here than there.
    func contradicts(_ other: SummedRanges) -> Bool {
        let sums = Dictionary(uniqueKeysWithValues: other.extents.map { ($0.range, $0.sum) })
        return extents.contains { extent in
            guard let own = extent.sum, case .some(.some(let theirs)) = sums[extent.range] else { return false }
            return own != theirs
        }
    }

    /// Adds bytes that were written. O(ranges).
    package mutating func insert(_ range: Range<UInt64>, sum: UInt32) {
        guard !range.isEmpty else { return }
        let start = extents.firstIndex { $0.range.upperBound >= range.lowerBound } ?? extents.endIndex
        let end = extents[start...].firstIndex { $0.range.lowerBound > range.upperBound } ?? extents.endIndex
        var whole = Extent(range: range, sum: sum)
        for other in extents[start..<end] {
            whole = other.range.lowerBound < range.lowerBound ? other.joined(whole) : whole.joined(other)
        }
        extents.replaceSubrange(start..<end, with: CollectionOfOne(whole))
    }

    /// Takes bytes out. What is left of a range that held some of them has no sum that is known.
    package mutating func subtract(_ range: Range<UInt64>) {
        extents = extents.flatMap { extent -> [Extent] in
            guard extent.range.overlaps(range) else { return [extent] }
            return ByteRangeSet(extent.range).subtracting(range).ranges.map { Extent(range: $0, sum: nil) }
        }
    }
}

extension SummedRanges.Extent {
    /// With one that begins in it or where it ends; the sum of bytes that were written twice is not known.
    fileprivate func joined(_ next: Self) -> Self {
        let whole = range.lowerBound..<max(range.upperBound, next.range.upperBound)
        guard range.upperBound == next.range.lowerBound, let sum, let nextSum = next.sum else {
            return Self(range: whole, sum: nil)
        }
        let count = next.range.upperBound - next.range.lowerBound
        return Self(range: whole, sum: CRC32C.combined(sum, nextSum, secondBytes: count))
    }
}
