/// The CRC-32C of the bytes of each range of a ``ByteRangeSet``, in their order; none when they are not known. That of
/// a single range, which most sets are, takes no memory of its own.
package struct RangeSums: Hashable, Sendable {
    private let stored: Few<UInt32>

    /// The sum of a single range.
    package init(_ sum: UInt32) { stored = .one(sum) }

    /// Any number of sums.
    package init(_ sums: [UInt32]) { stored = Few(sums) }

    /// The sums one by one.
    package var values: [UInt32] { stored.elements }

    /// How many there are.
    package var count: Int { stored.count }

    /// Whether none is known.
    package var isEmpty: Bool { stored == .none }
}

extension RangeSums: ExpressibleByArrayLiteral {
    package init(arrayLiteral sums: UInt32...) { self.init(sums) }
}
