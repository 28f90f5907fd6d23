import LedgerModel

/// The records of a batch, in order, each read out of the batch's bytes when it is its turn: a batch that is gone over
/// once makes no list of them.
package struct StoredRecords: Sequence, IteratorProtocol, Sendable {
    /// The whole batch, its header included.
    private let bytes: ArraySlice<UInt8>
    private var walk: RecordWalk

    /// The records of a batch that a walk goes over.
    init(_ bytes: ArraySlice<UInt8>, _ walk: RecordWalk) {
        self.bytes = bytes
        self.walk = walk
    }

    /// At least how many records come next.
    package var underestimatedCount: Int { walk.underestimatedCount }

    /// The last record; nil when there is none.
    package var last: StoredRecord? {
        var (rest, last) = (self, StoredRecord?.none)
        while let record = rest.next() { last = record }
        return last
    }

    package mutating func next() -> StoredRecord? {
        guard let head = step() else { return nil }
        let (start, extent) = (bytes.startIndex, head.payload)
        return StoredRecord(
            sequence: head.sequence, time: head.time, type: head.type, version: head.version,
            payload: bytes[start + extent.lowerBound..<start + extent.upperBound], hidden: head.hidden(in: bytes.span))
    }

    /// Goes past the next record as ``next()`` does, and answers what stands for it in the tree: a leaf, hashed where
    /// its payload stands, or what a hidden one left of itself.
    mutating func nextPart(_ hasher: LeafHasher) -> (last: SequenceNumber, root: TreeHash, height: Int)? {
        guard let head = step() else { return nil }
        let bytes = bytes.span
        if let hidden = head.hidden(in: bytes) { return (walk.sequence.previous, hidden.root, hidden.height) }
        let leaf = hasher.leaf(
            head.sequence, head.time, type: head.type, version: head.version, payload: bytes.extracting(head.payload))
        return (head.sequence, leaf, 0)
    }

    private mutating func step() -> RecordHead? {
        var walk = walk
        defer { self.walk = walk }
        return walk.next(in: bytes.span)
    }
}
