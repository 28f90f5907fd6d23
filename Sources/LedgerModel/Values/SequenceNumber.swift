/// The place of an event in the log: 1-based and gap-free. Zero stands before the first event.
package struct SequenceNumber: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The number itself; 0 only in ``zero``.
    package let rawValue: UInt64

    /// Makes a number of what a log or a person gave.
    package init(_ rawValue: UInt64) { self.rawValue = rawValue }

    /// Before the first event: the sequence of an empty ledger.
    package static let zero = SequenceNumber(0)

    /// The sequence after this one. Traps at `UInt64.max`, which no log reaches.
    package var next: SequenceNumber { SequenceNumber(rawValue + 1) }

    /// The sequence before this one. Traps at ``zero``.
    package var previous: SequenceNumber { SequenceNumber(rawValue - 1) }

    /// The sequence `count` events later.
    package func advanced(by count: Int) -> SequenceNumber { SequenceNumber(rawValue + UInt64(count)) }

    package static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }

    package var description: String { String(rawValue) }
}
