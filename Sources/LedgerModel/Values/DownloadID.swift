/// A download for ever: the sequence number of its `enqueued` event.
package struct DownloadID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The sequence number of the `enqueued` event.
    package let sequence: SequenceNumber

    /// The download that the event at `sequence` enqueued.
    package init(_ sequence: SequenceNumber) { self.sequence = sequence }

    /// The download with this number, as a person types it.
    package init(_ rawValue: UInt64) { self.init(SequenceNumber(rawValue)) }

    /// The number as rows and people write it.
    package var rawValue: UInt64 { sequence.rawValue }

    package static func < (one: Self, other: Self) -> Bool { one.sequence < other.sequence }

    package var description: String { sequence.description }
}
