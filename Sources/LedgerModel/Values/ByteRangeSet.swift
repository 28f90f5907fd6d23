/// A set of byte offsets kept as sorted, disjoint, non-adjacent half-open ranges.
///
/// What a part file holds durably is one of these; a download fetched in order is always a single range from zero.
package struct ByteRangeSet: Hashable, Sendable {
    private var stored: Few<Range<UInt64>>

    /// The ranges in ascending order; no two touch.
    package var ranges: [Range<UInt64>] { stored.elements }

    /// How many ranges there are.
    package var rangeCount: Int { stored.count }

    /// The empty set.
    package init() { stored = .none }

    /// One range; empty ranges leave the set empty.
    package init(_ range: Range<UInt64>) { stored = range.isEmpty ? .none : .one(range) }

    /// Any ranges, in any order, overlapping or not.
    package init(_ ranges: some Sequence<Range<UInt64>>) {
        self.init()
        for range in ranges { insert(range) }
    }

    /// Ranges that a recorded set held: not empty, ascending, no two touching.
    package init(normalized ranges: [Range<UInt64>]) {
        // Within the call, which a release build leaves out with all that it asks for.
        assert(
            zip(ranges, ranges.dropFirst()).allSatisfy { $0.upperBound < $1.lowerBound },
            "recorded ranges are sorted and do not touch")
        stored = Few(ranges)
    }

    /// Whether no byte is held.
    package var isEmpty: Bool { stored == .none }

    /// How many bytes are held.
    package var count: UInt64 {
        switch stored {
        case .none: 0
        case .one(let range): range.upperBound - range.lowerBound
        case .many(let ranges): ranges.reduce(0) { $0 + ($1.upperBound - $1.lowerBound) }
        }
    }

    /// The bytes held without a hole from offset zero.
    package var prefixCount: UInt64 {
        guard let first = ranges.first, first.lowerBound == 0 else { return 0 }
        return first.upperBound
    }

    /// One past the highest byte held; 0 when empty.
    package var upperBound: UInt64 { ranges.last?.upperBound ?? 0 }

    /// Adds a range, merging what it touches. O(ranges).
    package mutating func insert(_ range: Range<UInt64>) {
        guard !range.isEmpty else { return }
        var ranges = self.ranges
        let start = ranges.firstIndex { $0.upperBound >= range.lowerBound } ?? ranges.endIndex
        var end = start
        var merged = range
        while end < ranges.endIndex, ranges[end].lowerBound <= range.upperBound {
            merged =
                min(merged.lowerBound, ranges[end].lowerBound)..<max(merged.upperBound, ranges[end].upperBound)
            end += 1
        }
        ranges.replaceSubrange(start..<end, with: CollectionOfOne(merged))
        stored = Few(ranges)
    }

    /// Adds every range of another set.
    package mutating func formUnion(_ other: ByteRangeSet) {
        for range in other.ranges { insert(range) }
    }

    /// Whether every byte of `range` is held. An empty range always is.
    package func contains(_ range: Range<UInt64>) -> Bool {
        range.isEmpty || ranges.contains { $0.lowerBound <= range.lowerBound && range.upperBound <= $0.upperBound }
    }

    /// The ranges of `0..<length` that are not held, ascending.
    package func gaps(upTo length: UInt64) -> [Range<UInt64>] {
        var gaps: [Range<UInt64>] = []
        var position: UInt64 = 0
        for range in ranges where range.lowerBound < length {
            if position < range.lowerBound { gaps.append(position..<range.lowerBound) }
            position = range.upperBound
        }
        if position < length { gaps.append(position..<length) }
        return gaps
    }
}
