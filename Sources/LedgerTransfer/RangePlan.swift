package import LedgerModel

/// Which bytes to ask for next, given what is held.
///
/// One stream now: the rest after the prefix that is held without a hole. Bytes held beyond it are fetched again.
/// Several streams take several of the gaps.
package struct RangePlan: Hashable, Sendable {
    /// What is held and need not come again.
    package var held: ByteRangeSet
    /// The whole length; nil while unknown.
    package var length: UInt64?

    /// A plan over what is held of an entity.
    package init(held: ByteRangeSet, length: UInt64?) {
        self.held = held
        self.length = length
    }

    /// Where the next request starts.
    package var start: UInt64 { held.prefixCount }

    /// Whether nothing is left to ask for. Never so while the length is unknown.
    package var isWhole: Bool {
        guard let length else { return false }
        return start >= length
    }

    /// The `Range` field for the rest (RFC 9110, section 14.1.2); nil when all of it is wanted.
    package var rangeField: String? { start == 0 ? nil : "bytes=\(start)-" }
}
