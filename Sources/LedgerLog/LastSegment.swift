import LedgerModel
import LedgerSystem
import SystemPackage

/// The segment that was appended to last, read whole: its tree, its end, and whether it can be appended to again.
struct LastSegment {
    /// How it ends.
    enum End: Hashable {
        /// As a close leaves it, or as it was made: zeros to its end, and nothing that the head does not know.
        case usable
        /// Without a seal, during a crash.
        case unfinished
        /// With this many bytes of a batch that was never acknowledged.
        case torn(bytes: UInt64)
    }

    private(set) var tree: MerkleTree
    private(set) var writer: SegmentWriter
    private(set) var end = End.usable
    /// Whether batches beyond the head may be in memory only: a process that failed to sync may have left them there,
    /// marked clean.
    private(set) var isDoubtful = false
    private let segment: SegmentFile

    /// Opens it, with the tree that the segments before it end with.
    init(_ opening: Opening, _ manifest: Manifest) throws(LogError) {
        let place = manifest.segments.count - 1
        // What stands before it in the log is sealed, and what was taken out ends with the base.
        tree = try manifest.tree(before: place, opening.fileSystem, opening.home) ?? manifest.base
        segment = try SegmentFile.open(opening.fileSystem, opening.home, manifest, at: place, .update)
        let length = try disk("look at a segment") { [file = segment.file] () throws(FileError) in
            try file.status().length
        }
        writer = SegmentWriter(segment, filled: length)
    }

    /// Reads all batches, recomputing the roots, and judges what stands after them.
    mutating func read(head: Head) throws(LogError) {
        var cursor = SegmentCursor(segment.header, segment.file)
        let hasher = LeafHasher(segment.header.identity)
        try check(head, at: tree)
        while true {
            let step = try disk("read a segment") { () throws(FileError) in try cursor.step() }
            switch step {
            case .batch(let batch):
                if batch.last.rawValue > head.size { isDoubtful = true }
                tree.append(batch.records, hasher)
                guard tree.root == batch.root else { throw .root(segment.name, batch) }
                try check(head, at: tree)
                writer.advance(past: batch)
            case .seal(let seal):
                guard seal.tree == tree else { throw .sealed(segment.name, seal) }
                end = .unfinished
                return try checkLength(head)
            case .end: return try judge(nil, head)
            case .fault(let fault): return try judge(fault, head)
            }
        }
    }

    private mutating func judge(_ fault: BatchFault?, _ head: Head) throws(LogError) {
        let tail = try disk("read the end of a segment") { () throws(FileError) in
            try SegmentTail.examine(
                segment.file, from: writer.offset, salt: segment.header.salt,
                next: SequenceNumber(tree.size + 1))
        }
        #if PLANTED_BUGS
            if PlantedBug.cutAtFirstBadRecord.isOn, tail != .clean {
                end = .torn(bytes: 0)
                return
            }
        #endif
        switch tail {
        case .clean:
            try checkLength(head)
            end = head.size == tree.size ? .usable : .unfinished
        case .torn(let bytes):
            if fault?.isWhole ?? false { throw corrupted(fault, laterAt: nil) }
            if head.size > tree.size { throw corrupted(fault, laterAt: nil, head) }
            end = .torn(bytes: bytes)
        case .damaged(let later): throw corrupted(fault, laterAt: later)
        }
    }

    /// A head that lies within this segment names a root of it.
    private func check(_ head: Head, at tree: MerkleTree) throws(LogError) {
        guard head.size == tree.size, head.root != tree.root else { return }
        throw .history(segment.name, head)
    }

    private func checkLength(_ head: Head) throws(LogError) {
        guard head.size > tree.size else { return }
        #if PLANTED_BUGS
            if PlantedBug.lastSegmentLost.isOn { return }
        #endif
        throw .shorter(segment.name, at: writer.offset, last: SequenceNumber(tree.size), than: head.size)
    }

    private func corrupted(_ fault: BatchFault?, laterAt: UInt64?, _ head: Head? = nil) -> LogError {
        .corrupted(segment.name, at: writer.offset, fault, last: SequenceNumber(tree.size), laterAt: laterAt, head)
    }
}

extension LeafHasher {
    /// The leaf of a record read from the log.
    package func leaf(_ record: StoredRecord) -> TreeHash {
        leaf(record.sequence, record.time, type: record.type, version: record.version, payload: record.payload.span)
    }
}

extension LogError {
    /// A batch whose checksum holds and whose root is not that of its records.
    static func root(_ name: String, _ batch: StoredBatch) -> LogError {
        LogError(
            .tampered, "the batch at byte \(batch.offset.grouped) of '\(name)' holds its checksum and not its root",
            file: name, offset: batch.offset,
            detail: "sequences \(batch.first) to \(batch.last), or some before them, are not those first recorded",
            next: Advice.verify)
    }

    /// A head whose root is not that of the records it vouches for.
    static func history(_ name: String, _ head: Head) -> LogError {
        LogError(
            .tampered, "the head vouches for another history of the first \(head.size.grouped) records", file: name,
            next: Advice.verify)
    }

    /// An end that a head vouches for and that is not there.
    static func shorter(_ name: String, at offset: UInt64, last: SequenceNumber, than size: UInt64) -> LogError {
        LogError(
            .shorter,
            "the log ends at sequence \(last.rawValue.grouped) and went to \(size.grouped) before", file: name,
            offset: offset, detail: "the end of '\(name)' was durable once and is gone",
            next: Advice.restoreEnd(size))
    }

    /// Damage in records that were acknowledged.
    static func corrupted(
        _ name: String, at offset: UInt64, _ fault: BatchFault?, last: SequenceNumber, laterAt: UInt64?,
        _ head: Head? = nil
    ) -> LogError {
        var detail = "everything before it is intact (up to sequence \(last.rawValue.grouped))"
        if let laterAt {
            detail +=
                laterAt == offset
                ? "; one bit of it turned, which no power cut does" : "; later records stand at byte \(laterAt.grouped)"
        }
        if let head { detail += "; sequence \(head.size.grouped) was durable before" }
        return LogError(
            .corrupted,
            "the batch at byte \(offset.grouped) of '\(name)' \(fault?.sentence ?? "is gone")", file: name,
            offset: offset, detail: detail, next: Advice.verify)
    }
}
