package import LedgerModel

/// What stands in a segment file, as its bytes say and whatever the manifest counts.
package enum RawItem: Hashable, Sendable {
    /// A file begins.
    case segment(RawSegment)
    /// A batch whose checksum holds.
    case batch(RawBatch)
    /// A seal whose checksum holds.
    case seal(SegmentSeal, RawExtent)
    /// Bytes that are nothing whole; reading goes on behind them.
    case damage(RawExtent, what: String)
    /// Zeros to the end of the file, written ahead.
    case free(RawExtent)

    /// Where it stands; of a file, all of it.
    package var extent: RawExtent {
        switch self {
        case .segment(let segment): segment.extent
        case .batch(let batch): batch.extent
        case .seal(_, let extent), .damage(let extent, _), .free(let extent): extent
        }
    }
}

/// A stretch of a segment file.
package struct RawExtent: Hashable, Sendable {
    /// The file, by its name.
    package let file: String
    /// Where it begins, in bytes.
    package let offset: UInt64
    /// How long it is, in bytes.
    package let length: UInt64
}

/// A segment file with what its header says.
package struct RawSegment: Hashable, Sendable {
    /// The whole file.
    package let extent: RawExtent
    /// Its header; nil when it does not hold its checksum, or is of another format.
    package let header: SegmentHeader?
}

/// A batch, with where its records stand.
package struct RawBatch: Hashable, Sendable {
    /// A record in its place.
    package struct Record: Hashable, Sendable {
        /// Where the record stands.
        package let extent: RawExtent
        /// Where its payload begins in the file, in bytes; it goes on to the end of the record.
        package let payloadOffset: UInt64
        /// What it says.
        package let record: StoredRecord
    }

    /// Where the batch stands.
    package let extent: RawExtent
    /// Its records, in order.
    package let records: [Record]
    /// The root that it names.
    package let root: TreeHash
    /// What is wrong with its place, as a clause that begins with a verb: it is whole and does not belong here; nil
    /// when it follows what stands before it.
    package let misfit: String?

    /// The sequence of its first record.
    package var first: SequenceNumber { records[0].record.sequence }
    /// The sequence of its last record.
    package var last: SequenceNumber { records[records.count - 1].record.sequence }
}
