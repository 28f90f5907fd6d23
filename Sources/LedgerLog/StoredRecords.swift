import LedgerModel

/// The records of a batch, in order, each read out of the batch's bytes when it is its turn: a batch that is gone over
/// once makes no list of them.
package struct StoredRecords: Sequence, IteratorProtocol, Sendable {
    /// The whole batch, its header included.
    private let bytes: ArraySlice<UInt8>
    /// The time of the batch in milliseconds, from which those of its records count.
    private let milliseconds: Int64
    /// The records up to here are left out.
    private let position: SequenceNumber
    /// How many records are still to come, those included that are left out.
    private var left: Int
    /// Where the next record begins, counted from the first byte of the batch.
    private(set) var place = LogBounds.batchHeaderBytes
    /// The sequence of the next record.
    private(set) var sequence: SequenceNumber

    /// What stands before a record's payload.
    private struct Head {
        let sequence: SequenceNumber
        let milliseconds: Int64
        let type: UInt8
        let version: UInt8
        let payload: Range<Int>
        /// How many sequences it stands for.
        let count: UInt64

        var last: SequenceNumber { SequenceNumber(sequence.rawValue + count - 1) }
    }

    /// The records of a batch behind `position`, of which it says that there are `count`.
    init(_ bytes: ArraySlice<UInt8>, first: SequenceNumber, count: Int, after position: SequenceNumber = .zero) {
        self.bytes = bytes
        self.position = position
        milliseconds = bytes.span.integer(at: 24)
        left = count
        sequence = first
    }

    /// At least how many records come next.
    package var underestimatedCount: Int { position < sequence ? left : 0 }

    /// The last record; nil when there is none.
    package var last: StoredRecord? {
        var (rest, last) = (self, StoredRecord?.none)
        while let record = rest.next() { last = record }
        return last
    }

    package mutating func next() -> StoredRecord? {
        guard let head = nextHead() else { return nil }
        return StoredRecord(
            sequence: head.sequence, time: Timestamp(milliseconds: head.milliseconds), type: head.type,
            version: head.version, payload: content(head.payload), hidden: hidden(head))
    }

    /// Goes past the next record as ``next()`` does, and answers what stands for it in the tree: a leaf, hashed where
    /// its payload stands, or what a hidden one left of itself.
    mutating func nextPart(_ hasher: LeafHasher) -> (last: SequenceNumber, root: TreeHash, height: Int)? {
        guard let head = nextHead() else { return nil }
        if let hidden = hidden(head) { return (head.last, hidden.root, hidden.height) }
        let leaf = hasher.leaf(
            head.sequence, Timestamp(milliseconds: head.milliseconds), type: head.type, version: head.version,
            payload: bytes.span.extracting(head.payload))
        return (head.last, leaf, 0)
    }

    private mutating func nextHead() -> Head? {
        while left > 0, let head = step() {
            // By the numbers themselves: what two kinds of them share is looked up at run time.
            if head.last.rawValue > position.rawValue { return head }
        }
        return nil
    }

    /// Goes over all records that are left.
    /// - Returns: where the last of them ends; nil when one does not stand as it must.
    mutating func check() -> Int? {
        while left > 0 { guard step() != nil else { return nil } }
        return place
    }

    /// Goes past the next record; nil, and no other after it, where it does not stand as it must.
    private mutating func step() -> Head? {
        guard let head = head() else {
            left = 0
            return nil
        }
        left -= 1
        place = head.payload.upperBound
        sequence = head.last.next
        return head
    }

    /// What stands before the payload of the next record, checked.
    private func head() -> Head? {
        let (span, end) = (bytes.span, bytes.count - LogBounds.rootBytes)
        guard let (body, start) = span.varint(at: place), body >= 3, body <= UInt64(end - Swift.min(start, end)),
            let (delta, payload) = span.varint(at: start + 2), payload <= start + Int(body)
        else { return nil }
        let extent = payload..<start + Int(body)
        let time = milliseconds &+ Int64(zigzag: delta)
        var count: UInt64 = 1
        if span[start] == LogBounds.hiddenType {
            guard let hidden = hidden(extent, span[start + 1]) else { return nil }
            count = hidden.count
        }
        guard (sequence.rawValue - 1) & (count - 1) == 0, sequence.rawValue <= UInt64.max - count else { return nil }
        return Head(
            sequence: sequence, milliseconds: time, type: span[start], version: span[start + 1], payload: extent,
            count: count)
    }

    private func content(_ extent: Range<Int>) -> ArraySlice<UInt8> {
        bytes[bytes.startIndex + extent.lowerBound..<bytes.startIndex + extent.upperBound]
    }

    private func hidden(_ head: Head) -> HiddenRecords? {
        head.type == LogBounds.hiddenType ? hidden(head.payload, head.version) : nil
    }

    private func hidden(_ extent: Range<Int>, _ version: UInt8) -> HiddenRecords? {
        HiddenRecords(payload: content(extent), version: version)
    }
}
