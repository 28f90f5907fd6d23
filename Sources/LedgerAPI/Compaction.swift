package import LedgerModel

/// What `compact` asks for.
package struct CompactRequest: Hashable, Sendable, Codable {
    /// How many of the last events stay in the log at least; 0 keeps live state only. Nil with no
    /// ``keepMilliseconds`` either: those of the last ``keepMillisecondsDefault``.
    package var keepEvents: UInt64?
    /// How old an event must be to go, in milliseconds.
    package var keepMilliseconds: Int64?
    /// How many bytes of the log are read in a second at most; nil for no limit.
    package var bytesPerSecondMax: UInt64?
    /// Whether dropped segments are unlinked instead of moved to the archive.
    package var drops = false
    /// Whether to say what would be done, and do nothing.
    package var isDryRun = false
    /// Names the request: asked again because the holder left before it answered, no more is taken out of the log.
    package var command: CommandID?

    /// What stays when nothing is said: 90 days, in milliseconds.
    package static let keepMillisecondsDefault: Int64 = 90 * 86_400_000

    /// Compaction as it is by default: whole segments into the archive.
    package init() {}
}

/// What `compact` did, or would do.
package struct CompactReport: Hashable, Sendable, Codable {
    /// The snapshot stands for everything up to here.
    package var through: SequenceNumber
    /// The last event of the log after it.
    package var last: SequenceNumber
    /// How many events left the log.
    package var eventsDropped: UInt64
    /// How many segment files left the log.
    package var segmentsDropped: Int
    /// How many of those that stay lost the progress of downloads that have ended.
    package var segmentsThinned: Int
    /// The length of the log's files before, in bytes.
    package var bytesBefore: UInt64
    /// The length of the log's files after, in bytes.
    package var bytesAfter: UInt64
    /// Whether the dropped segments stand in the archive.
    package var archived: Bool
    /// Whether nothing was done.
    package var isDryRun: Bool
    /// The tree's root at ``last``, in hexadecimal.
    package var root: String

    /// A report with every field given.
    package init(
        through: SequenceNumber, last: SequenceNumber, eventsDropped: UInt64, segmentsDropped: Int,
        segmentsThinned: Int, bytesBefore: UInt64, bytesAfter: UInt64, archived: Bool, isDryRun: Bool, root: String
    ) {
        self.through = through
        self.last = last
        self.eventsDropped = eventsDropped
        self.segmentsDropped = segmentsDropped
        self.segmentsThinned = segmentsThinned
        self.bytesBefore = bytesBefore
        self.bytesAfter = bytesAfter
        self.archived = archived
        self.isDryRun = isDryRun
        self.root = root
    }
}
