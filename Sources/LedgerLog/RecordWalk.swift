package import LedgerModel

/// What stands before the payload of a record in a batch, and where in the batch that payload stands: no more than four
/// registers hold, for a longer answer goes through memory.
package struct RecordHead: Sendable {
    /// Its place: 1-based, without a gap.
    package let sequence: SequenceNumber
    /// When it happened, for people.
    package let time: Timestamp
    private let start: UInt32
    private let end: UInt32
    /// What the payload is; bit 7 says that an older reader may skip it.
    package let type: UInt8
    /// The version of the payload's schema.
    package let version: UInt8

    init(sequence: SequenceNumber, time: Timestamp, type: UInt8, version: UInt8, payload: Range<Int>) {
        self.sequence = sequence
        self.time = time
        // No batch is longer than `LogBounds.batchLengthMax`.
        start = UInt32(payload.lowerBound)
        end = UInt32(payload.upperBound)
        self.type = type
        self.version = version
    }

    /// The bytes of the payload, counted from the first byte of the batch.
    package var payload: Range<Int> { Int(start)..<Int(end) }

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
            // What may stand for several records counts if its last does.
            if sequence > position.next { return head }
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
        guard let head = head(bytes), let count = count(of: head, bytes) else {
            left = 0
            return nil
        }
        left -= 1
        place = head.payload.upperBound
        sequence = SequenceNumber(sequence.rawValue + count)
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
        return RecordHead(
            sequence: sequence, time: Timestamp(milliseconds: milliseconds &+ Int64(zigzag: delta)),
            type: bytes[start], version: bytes[start + 1], payload: payload..<end)
    }

    /// How many sequences a record stands for: more than one only where it is what is left of several. Nil where it
    /// can not be that, or there are no sequences left.
    @inline(__always)
    private func count(of head: RecordHead, _ bytes: Span<UInt8>) -> UInt64? {
        let sequence = sequence.rawValue
        guard head.type == LogBounds.hiddenType else { return sequence < UInt64.max ? 1 : nil }
        guard let count = head.hidden(in: bytes)?.count, (sequence - 1) & (count - 1) == 0,
            sequence <= UInt64.max - count
        else { return nil }
        return count
    }
}
