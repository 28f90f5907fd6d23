package import LedgerModel

/// Which bytes to ask for next, given what is held: the first that are missing.
package struct RangePlan: Hashable, Sendable {
    /// What is held and need not come again.
    package var held: ByteRangeSet
    /// The whole length; nil while unknown.
    package var length: UInt64?
    /// How many bytes the first request asks for where nothing is held, so that its connection can be used again while
    /// other streams fetch the rest; nil for all there are.
    package var opening: UInt64?

    /// What an opening asks for: an eighth of a file that is long enough for the streams that are opened without being
    /// asked for, all of one that is not.
    package static let openingBytes: UInt64 = 2 << 20

    /// A plan over what is held of an entity.
    package init(held: ByteRangeSet, length: UInt64?, opening: UInt64? = nil) {
        self.held = held
        self.length = length
        self.opening = opening
    }

    /// Where the next request starts: at the first byte that is missing.
    package var start: UInt64 { held.prefixCount }

    /// Where the first missing range ends; nil when that is the end of the entity.
    package var end: UInt64? {
        let start = start
        return held.ranges.first { $0.lowerBound > start }?.lowerBound
    }

    /// Whether something is held, so that only a range is asked for.
    package var isPartial: Bool { !held.isEmpty }

    /// Whether nothing is left to ask for. Never so while the length is unknown.
    package var isWhole: Bool {
        guard let length else { return false }
        return start >= length
    }

    /// The `Range` field for the first missing range (RFC 9110, section 14.1.2); nil when all of it is wanted.
    package var rangeField: String? {
        isPartial ? Self.field(start, end) : opening.map { Self.field(0, $0) }
    }

    /// The `Range` field for the bytes from `start` up to `end`, or to the end of the entity.
    static func field(_ start: UInt64, _ end: UInt64?) -> String {
        "bytes=\(start)-" + (end.map { String($0 - 1) } ?? "")
    }
}
