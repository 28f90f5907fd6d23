import LedgerModel

/// What the batches of a segment come to so far, and what a seal after them says.
struct SegmentContents: Sendable {
    /// Where the next batch goes.
    private(set) var offset = UInt64(LogBounds.headerBytes)
    /// The checksum of the last batch; that of the header before there is one.
    private(set) var chain: UInt32
    /// How many sequences the batches cover.
    private(set) var count: UInt64 = 0
    private let first: SequenceNumber
    /// The latest time of a record; nil without one.
    private(set) var newestTime: Timestamp?
    private var index: [SegmentSeal.Place] = []

    /// Those of a segment without a batch.
    init(_ header: SegmentHeader) {
        first = header.first
        chain = header.chain
    }

    /// Counts a batch that was written at ``offset``.
    mutating func advance(
        _ first: SequenceNumber, records: UInt64, length: Int, checksum: UInt32, newestTime: Timestamp
    ) {
        if index.last.map({ offset - $0.offset >= LogBounds.indexStepBytes }) ?? true {
            index.append(SegmentSeal.Place(sequence: first, offset: offset))
        }
        offset += UInt64(length)
        chain = checksum
        count += records
        self.newestTime = max(self.newestTime ?? newestTime, newestTime)
    }

    /// Counts a batch that stands at ``offset``.
    mutating func advance(past batch: StoredBatch) {
        advance(
            batch.first, records: batch.count, length: batch.length, checksum: batch.checksum,
            newestTime: batch.records.lazy.map(\.time).max() ?? .epoch)
    }

    /// The seal for what there is, at whose end the log's tree is `tree`.
    func seal(_ tree: MerkleTree) -> SegmentSeal {
        SegmentSeal(
            first: first, count: count, offset: offset, chain: chain, time: newestTime ?? .epoch, tree: tree,
            index: index)
    }
}
