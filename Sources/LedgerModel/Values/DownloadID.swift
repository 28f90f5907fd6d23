/// A download for ever: the sequence number of its `enqueued` event.
public struct DownloadID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The sequence number of the `enqueued` event.
    public let sequence: SequenceNumber

    /// The download that the event at `sequence` enqueued.
    public init(_ sequence: SequenceNumber) { self.sequence = sequence }

    /// The download with this number, as a person types it.
    public init(_ rawValue: UInt64) { self.init(SequenceNumber(rawValue)) }

    /// The number as rows and people write it.
    public var rawValue: UInt64 { sequence.rawValue }

    public static func < (one: Self, other: Self) -> Bool { one.sequence < other.sequence }

    public var description: String { sequence.description }
}
