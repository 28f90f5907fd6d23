package import LedgerModel

/// Something that verifying a log found.
package struct LogFinding: Hashable, Sendable {
    /// What kind of thing, from harmless to grave.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        /// One of two copies of a small file is damaged; the other holds, and opening the ledger writes it again.
        case damagedCopy
        /// A batch that was never acknowledged was cut short; opening the ledger drops it.
        case tornTail
        /// What an archived segment goes on from was dropped by an earlier version, or is not at hand: its records hold
        /// by their checksums and its seal, and its roots could not be computed.
        case unknownStart
        /// Acknowledged records are not what was written.
        case corruption
        /// Checksums hold, and roots or seals do not.
        case tampering
        /// Records that were durable when the head was written are gone from the end.
        case shorterThanHead
        /// Records that a checkpoint vouches for are gone from the end.
        case shorterThanCheckpoint
        /// A file that the manifest counts is not there.
        case missingSegment
        /// The disk refused to read a file: nobody can say what it holds.
        case unreadable
        /// Both slots of the head are not there: nobody can say how far the log went.
        case missingHead
        /// The snapshot that stands for what compaction took out is not there.
        case missingSnapshot
        /// A checkpoint vouches for a size within what was taken out of the log: nothing here can be compared with it.
        case unreachedCheckpoint

        /// Whether nothing acknowledged is touched.
        package var isHarmless: Bool {
            switch self {
            case .damagedCopy, .tornTail, .unknownStart: true
            case .corruption, .tampering, .shorterThanHead, .shorterThanCheckpoint, .missingSegment, .unreadable,
                .missingHead, .missingSnapshot, .unreachedCheckpoint:
                false
            }
        }
    }

    /// What kind of thing.
    package let kind: Kind
    /// The file, by its name.
    package let file: String
    /// Where in the file, in bytes; nil when it is about all of it.
    package let offset: UInt64?
    /// The sequences that are, or may be, touched; nil when none are or nobody can know.
    package let sequences: ClosedRange<SequenceNumber>?
    /// Whether the records can be had again from what is here.
    package let isRecoverable: Bool
    /// What was found, as a sentence without a full stop.
    package let what: String
    /// What to do next.
    package let next: String
}

/// What verifying a log came to.
package struct VerificationReport: Hashable, Sendable {
    /// What is wrong, in the order it was found; empty for a log that is whole.
    package internal(set) var findings: [LogFinding] = []
    /// The segments that were read.
    package internal(set) var segments = 0
    /// The batches that hold.
    package internal(set) var batches = 0
    /// The records that hold.
    package internal(set) var records: UInt64 = 0
    /// The bytes that were read.
    package internal(set) var bytes: UInt64 = 0
    /// The sequence of the last record that holds.
    package internal(set) var lastSequence = SequenceNumber.zero
    /// The root at ``lastSequence``: recomputed by a whole verification, as stored by a quick one.
    package internal(set) var root = MerkleTree.emptyRoot
}

/// A size of the log and the root of its tree then: what a checkpoint that is kept elsewhere says.
package struct TreeHead: Hashable, Sendable {
    /// The sequence of the last record.
    package let size: UInt64
    /// The root over all records up to it.
    package let root: TreeHash

    /// A head with both fields given.
    package init(size: UInt64, root: TreeHash) {
        self.size = size
        self.root = root
    }
}
