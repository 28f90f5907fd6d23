import LedgerModel
import LedgerSystem

/// What stands after the last batch that holds, up to the end of the file. It decides between the two ends that look
/// alike at their first bad byte.
///
/// One batch at most is on its way to the disk at any time, so a power cut can spoil the last one only: anything whole
/// that was written later proves that what comes before it was durable once, and is damaged.
enum SegmentTail: Hashable, Sendable {
    /// Zeros, or nothing.
    case clean
    /// Bytes of a batch or a seal that was never finished; nobody was told that it was.
    case torn(bytes: UInt64)
    /// A whole batch or seal of this segment follows, or a single bit is wrong in the last: records are damaged.
    case damaged(laterAt: UInt64)

    static func examine(
        _ file: any File, from start: UInt64, salt: UInt32, next: SequenceNumber
    ) throws(FileError) -> SegmentTail {
        let length = try file.status().length
        var window = BlockWindow(file)
        var place = start
        var dirtyEnd = start
        while place < length {
            let part = try window.slice(at: place, count: Int(min(length - place, UInt64(LogBounds.blockBytes))))
            if part.isEmpty { break }
            let filled = part.count / LogBounds.alignmentBytes * LogBounds.alignmentBytes
            var step = 0
            while step < filled {
                let word: UInt64 = part.span.integer(at: step)
                if word != 0 {
                    let offset = place + UInt64(step)
                    dirtyEnd = offset + UInt64(LogBounds.alignmentBytes)
                    if try isWhole(&window, at: offset, upTo: length, salt: salt, next: next) {
                        return .damaged(laterAt: offset)
                    }
                }
                step += LogBounds.alignmentBytes
            }
            if filled < part.count, part.dropFirst(filled).contains(where: { $0 != 0 }) {
                dirtyEnd = place + UInt64(part.count)
            }
            place += UInt64(part.count)
        }
        if dirtyEnd == start { return .clean }
        let last = try window.slice(
            at: start, count: Int(min(length - start, UInt64(LogBounds.batchLengthMax))))
        if SingleBit.isWrong(last.span, salt: salt) { return .damaged(laterAt: start) }
        return .torn(bytes: min(dirtyEnd, length) - start)
    }

    /// Whether a batch or seal of this segment, not older than the next one due, stands whole at `offset`.
    static func isWhole(
        _ window: inout BlockWindow, at offset: UInt64, upTo end: UInt64, salt: UInt32, next: SequenceNumber
    ) throws(FileError) -> Bool {
        let start = try window.slice(at: offset, count: LogBounds.batchHeaderBytes)
        guard start.count == LogBounds.batchHeaderBytes else { return false }
        let bytes = start.span
        if let length = SegmentSeal.length(bytes), UInt64(length) <= end - offset {
            let whole = try window.slice(at: offset, count: length)
            return SegmentSeal(decoding: whole.span, salt: salt) != nil
        }
        guard let length = BatchReader.length(bytes), UInt64(length) <= end - offset,
            bytes.integer(at: 16, as: UInt64.self) >= next.rawValue,
            Int(bytes.integer(at: 12, as: UInt32.self)) <= length / 4
        else { return false }
        let whole = try window.slice(at: offset, count: length)
        return BatchReader.fault(whole.span, salt: salt) == nil
    }
}
