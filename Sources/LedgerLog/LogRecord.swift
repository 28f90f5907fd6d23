package import LedgerModel

/// What the engine asks the log to keep; the log gives it its sequence.
package struct LogRecord: Hashable, Sendable {
    /// What the payload is; bit 7 says that an older reader may skip it. 0 is the log's own.
    package var type: UInt8
    /// The version of the payload's schema.
    package var version: UInt8
    /// When it happened, for people.
    package var time: Timestamp
    /// The bytes, up to ``LogBounds/payloadBytesMax``.
    package var payload: [UInt8]

    /// A record with every field given.
    package init(type: UInt8, version: UInt8, time: Timestamp, payload: [UInt8]) {
        self.type = type
        self.version = version
        self.time = time
        self.payload = payload
    }
}

/// A record as it stands in the log.
package struct StoredRecord: Hashable, Sendable {
    /// Its place: 1-based, without a gap.
    package let sequence: SequenceNumber
    /// When it happened, for people.
    package let time: Timestamp
    /// What the payload is; bit 7 says that an older reader may skip it.
    package let type: UInt8
    /// The version of the payload's schema.
    package let version: UInt8
    /// The bytes: a part of the block that was read, which lives as long as this does.
    package let payload: ArraySlice<UInt8>
    /// What is left of records whose content was taken out; nil when this one's is there.
    package var hidden: HiddenRecords? { boxed?.value }
    /// In a box: hardly any record has it.
    private let boxed: Shared<HiddenRecords>?

    init(
        sequence: SequenceNumber, time: Timestamp, type: UInt8, version: UInt8, payload: ArraySlice<UInt8>,
        hidden: HiddenRecords?
    ) {
        self.sequence = sequence
        self.time = time
        self.type = type
        self.version = version
        self.payload = payload
        boxed = hidden.map { Shared($0) }
    }

    /// The last sequence that it stands for: its own, unless it is what is left of several.
    package var last: SequenceNumber { SequenceNumber(sequence.rawValue + (hidden?.count ?? 1) - 1) }
}

/// Records that one sync made durable.
package struct StoredBatch: Sendable {
    /// The sequence of the first record, also when ``records`` leaves it out.
    package let first: SequenceNumber
    /// The sequence of the last record.
    package let last: SequenceNumber
    /// Where the batch begins in its segment, in bytes.
    package let offset: UInt64
    /// All of it, checked: a part of the block that was read.
    package let bytes: ArraySlice<UInt8>
    /// How many records there are, each of which stands for one sequence or for several.
    private let recordsMax: Int
    /// The place that reading began at.
    private var position = SequenceNumber.zero

    /// A batch whose bytes were checked.
    init(first: SequenceNumber, last: SequenceNumber, offset: UInt64, bytes: ArraySlice<UInt8>, recordsMax: Int) {
        self.first = first
        self.last = last
        self.offset = offset
        self.bytes = bytes
        self.recordsMax = recordsMax
    }

    /// The records, in order: all of the batch, or those after the place that reading began at.
    package var records: StoredRecords { StoredRecords(bytes, walk) }
    /// A walk over the same records in ``bytes``.
    package var walk: RecordWalk { RecordWalk(bytes.span, first: first, count: recordsMax, after: position) }
    /// Its length with header, padding and root, in bytes.
    package var length: Int { bytes.count }
    /// The root of the tree with this batch in it, as stored.
    package var root: TreeHash { TreeHash(reading: bytes.span, at: bytes.count - LogBounds.rootBytes) }
    /// The stored checksum, which the next batch repeats.
    var checksum: UInt32 { bytes.span.integer(at: 4) }

    /// How many sequences it covers.
    package var count: UInt64 { last.rawValue - first.rawValue + 1 }

    /// The batch with only its records after `position`; nil when there are none.
    func after(_ position: SequenceNumber) -> StoredBatch? {
        guard last > position else { return nil }
        guard first <= position else { return self }
        var rest = self
        rest.position = position
        return rest
    }
}
