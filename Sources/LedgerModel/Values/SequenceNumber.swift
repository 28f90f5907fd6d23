/// The place of an event in the log: 1-based and gap-free. Zero stands before the first event.
///
/// It is public, as the other small values of an event are, for the compiler looks into nothing else of another module:
/// what is `package` costs a call for each comparison.
public struct SequenceNumber: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The number itself; 0 only in ``zero``.
    public let rawValue: UInt64

    /// Makes a number of what a log or a person gave.
    public init(_ rawValue: UInt64) { self.rawValue = rawValue }

    /// Before the first event: the sequence of an empty ledger.
    public static let zero = SequenceNumber(0)

    /// The sequence after this one. Traps at `UInt64.max`, which no log reaches.
    public var next: SequenceNumber { SequenceNumber(rawValue + 1) }

    /// The sequence before this one. Traps at ``zero``.
    public var previous: SequenceNumber { SequenceNumber(rawValue - 1) }

    /// The sequence `count` events later.
    public func advanced(by count: Int) -> SequenceNumber { SequenceNumber(rawValue + UInt64(count)) }

    public static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }

    public var description: String { String(rawValue) }
}
