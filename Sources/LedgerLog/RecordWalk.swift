package import LedgerModel

/// What stands before the payload of a record in a batch, and where in the batch that payload stands.
package struct RecordHead: Sendable {
    /// Its place: 1-based, without a gap.
    package let sequence: SequenceNumber
    /// When it happened, for people.
    package let time: Timestamp
    /// What the payload is; bit 7 says that an older reader may skip it.
    package let type: UInt8
    /// The version of the payload's schema.
    package let version: UInt8
    /// The bytes of the payload, counted from the first byte of the batch.
    package let payload: Range<Int>
    /// How many sequences it stands for: more than one only where it is what is left of several records.
    let count: UInt64

    /// The last sequence that it stands for.
    var last: SequenceNumber { SequenceNumber(sequence.rawValue + count - 1) }

    /// What is left of records whose content was taken out; nil when this one's is there.
    /// - Parameter bytes: the batch.
    package func hidden(in bytes: Span<UInt8>) -> HiddenRecords? {
        guard type == LogBounds.hiddenType else { return nil }
        return HiddenRecords(payload: bytes.extracting(payload), version: version)
    }
}

/// Goes over the records of a batch where they stand: nothing is copied, and nothing is counted, because the bytes are
/// handed in anew for each step.
package struct RecordWalk: Sendable {
    /// The time of the batch in milliseconds, from which those of its records count.
    private let milliseconds: Int64
    /// The records up to here are left out.
    private let position: SequenceNumber
    /// How many records are still to come, those included that are left out.
    private var left: Int
    /// Where the next record begins, counted from the first byte of the batch.
    private var place = LogBounds.batchHeaderBytes
    /// The sequence of the next record.
    private(set) var sequence: SequenceNumber

    /// A walk over the records of a batch behind `position`, of which its header says that there are `count`.
    init(_ bytes: Span<UInt8>, first: SequenceNumber, count: Int, after position: SequenceNumber = .zero) {
        self.position = position
        milliseconds = bytes.integer(at: 24)
        left = count
        sequence = first
    }

    /// At least how many records come next.
    var underestimatedCount: Int { position < sequence ? left : 0 }

    /// Goes past the next record; nil when there is none.
    /// - Parameter bytes: the batch that the walk was made for.
    package mutating func next(in bytes: Span<UInt8>) -> RecordHead? {
        while left > 0, let head = step(bytes) {
            if head.last > position { return head }
        }
        return nil
    }

    /// Goes over all records that are left.
    /// - Returns: where the last of them ends; nil when one does not stand as it must.
    mutating func check(in bytes: Span<UInt8>) -> Int? {
        while left > 0 { guard step(bytes) != nil else { return nil } }
        return place
    }

    /// Goes past the next record; nil, and no other after it, where it does not stand as it must.
    @inline(__always)
    private mutating func step(_ bytes: Span<UInt8>) -> RecordHead? {
        guard let head = head(bytes) else {
            left = 0
            return nil
        }
        left -= 1
        place = head.payload.upperBound
        sequence = head.last.next
        return head
    }

    /// What stands before the payload of the next record, checked.
    @inline(__always)
    private func head(_ bytes: Span<UInt8>) -> RecordHead? {
        let room = bytes.count - LogBounds.rootBytes
        guard let (body, start) = bytes.varint(at: place), body >= 3, start <= room, body <= UInt64(room - start)
        else { return nil }
        let end = start + Int(body)
        guard let (delta, payload) = bytes.varint(at: start + 2), payload <= end else { return nil }
        let (type, version) = (bytes[start], bytes[start + 1])
        var count: UInt64 = 1
        if type == LogBounds.hiddenType {
            guard let hidden = HiddenRecords(payload: bytes.extracting(payload..<end), version: version) else {
                return nil
            }
            count = hidden.count
        }
        let sequence = self.sequence.rawValue
        guard (sequence - 1) & (count - 1) == 0, sequence <= UInt64.max - count else { return nil }
        return RecordHead(
            sequence: self.sequence, time: Timestamp(milliseconds: milliseconds &+ Int64(zigzag: delta)),
            type: type, version: version, payload: payload..<end, count: count)
    }
}
