import LedgerModel
import LedgerSystem

/// Walks the batches of one segment from its start, checking checksums, the chain and the sequences.
struct SegmentCursor: Sendable {
    /// What stands at the cursor.
    enum Step: Sendable {
        /// A batch, which the cursor has gone past.
        case batch(StoredBatch)
        /// The seal that ends the segment; the cursor stays before it.
        case seal(SegmentSeal)
        /// Zeros, or the end of the file; the cursor stays.
        case end
        /// Something else; the cursor stays.
        case fault(BatchFault)
    }

    let header: SegmentHeader
    private(set) var window: BlockWindow
    /// Where the next batch begins.
    private(set) var offset: UInt64
    /// The checksum of the batch before.
    private(set) var chain: UInt32
    /// The sequence the next batch begins with.
    private(set) var next: SequenceNumber

    init(_ header: SegmentHeader, _ file: any File, blockBytes: Int = LogBounds.windowBytes) {
        self.header = header
        window = BlockWindow(file, blockBytes: blockBytes)
        offset = UInt64(LogBounds.headerBytes)
        chain = header.chain
        next = header.first
    }

    mutating func step() throws(FileError) -> Step {
        let start = try window.slice(at: offset, count: 16)
        if start.count < 16 { return start.allSatisfy { $0 == 0 } ? .end : .fault(.cut(length: 16)) }
        if let length = SegmentSeal.length(start.span) {
            let whole = try window.slice(at: offset, count: length)
            if let seal = SegmentSeal(decoding: whole.span, salt: header.salt), seal.first == header.first,
                seal.last.next == next, seal.offset == offset, seal.chain == chain
            {
                return .seal(seal)
            }
        }
        let stored: UInt32 = start.span.integer(at: 0)
        guard let length = BatchReader.length(start.span) else {
            return start.allSatisfy { $0 == 0 } ? .end : .fault(.length(stored))
        }
        // What was lent is given back, or the window could not read what comes next into the room it has.
        _ = consume start
        let whole = try window.slice(at: offset, count: length)
        guard whole.count == length else { return .fault(.cut(length: length)) }
        if let fault = BatchReader.fault(whole.span, salt: header.salt) { return .fault(fault) }
        let previous: UInt32 = whole.span.integer(at: 8)
        if previous != chain { return .fault(.chain(stored: previous, expected: chain)) }
        let first: UInt64 = whole.span.integer(at: 16)
        if first != next.rawValue { return .fault(.sequence(stored: first, expected: next.rawValue)) }
        guard let batch = BatchReader.decode(whole, at: offset) else { return .fault(.records) }
        offset += UInt64(length)
        chain = batch.checksum
        next = batch.last.next
        return .batch(batch)
    }

    /// Forgets what was read ahead, so that the next step sees what a writer has added.
    mutating func refresh() { window.forget() }

    /// Goes on in another file, from the same place.
    mutating func read(_ file: any File) { window = BlockWindow(file) }

    /// Goes to a batch that a seal's index names; the chain is taken up from that batch.
    mutating func jump(to place: SegmentSeal.Place) throws(FileError) {
        let start = try window.slice(at: place.offset, count: LogBounds.batchHeaderBytes)
        guard start.count == LogBounds.batchHeaderBytes else { return }
        offset = place.offset
        next = place.sequence
        chain = start.span.integer(at: 8)
    }
}
