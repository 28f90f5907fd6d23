import LedgerModel
import LedgerSystem
import SystemPackage

/// How far the records of the last segment hold, and where what does not begins.
///
/// A header, and a batch in which one bit turned, are mended: what stands in the header is known, and the batch's root
/// proves that it is again what was recorded.
struct SegmentEnd {
    /// The tree over all records that hold.
    private(set) var tree: MerkleTree
    /// Where the cut begins.
    private(set) var offset: UInt64 = 0
    /// Whether something is cut off, or mended.
    private(set) var isDamaged = false
    /// The bytes to be cut off, without the zeros behind them.
    private(set) var cutBytes: UInt64 = 0
    /// What is wrong; nil when nothing is.
    private(set) var reason: String?
    /// Whether nothing of the file can be kept: a new segment takes its place.
    private(set) var isNew = false
    /// The bytes that are put right, by their offset.
    var patches: [UInt64: UInt8] { mender?.patches ?? [:] }

    private let name: String
    private let file: (any File)?
    private var mender: SegmentMender?

    /// Opens the last segment of a manifest, at whose start the log's tree is `base`, as far as it can be opened.
    init(_ repair: LogRepair, _ manifest: Manifest, behind base: MerkleTree) throws(LogError) {
        let place = manifest.segments.count - 1
        let entry = manifest.segments[place]
        tree = base
        name = SegmentName.name(entry.first)
        let path = repair.home.segment(entry.first)
        let isThere = try disk("look for a segment") { () throws(FileError) in
            try repair.fileSystem.status(of: path) != nil
        }
        do throws(LogError) {
            let segment = try SegmentFile.open(repair.fileSystem, repair.home, manifest, at: place)
            (file, mender) = (segment.file, SegmentMender(segment))
        } catch {
            guard [.missing, .corrupted, .tampered].contains(error.code) else { throw error }
            (isDamaged, reason) = (true, error.what)
            file = try disk("open a segment") { () throws(FileError) in
                isThere ? try repair.fileSystem.open(path, .read) : nil
            }
            if let file, error.code == .corrupted { mender = try SegmentMender(file, manifest, at: place) }
            isNew = mender == nil
        }
    }

    /// Reads all batches, recomputing the roots, and finds the place where they no longer hold.
    /// - Throws: ``LogError`` with code `.tampered` when they hold and the head vouches for others.
    mutating func read(head: Head?) throws(LogError) {
        defer { file?.close() }
        guard let file else { return }
        guard var mender else { return try cut("", in: file) }
        var cursor = SegmentCursor(mender.header, mender.mended)
        let hasher = LeafHasher(mender.header.identity)
        offset = UInt64(LogBounds.headerBytes)
        try check(head)
        while true {
            let fault: BatchFault?
            switch try cursor.advance() {
            case .batch(let batch):
                guard let next = tree.appending(batch, hasher) else {
                    return try cut(LogError.root(name, batch).what, in: file)
                }
                tree = next
                offset = cursor.offset
                try check(head)
                continue
            case .seal(let seal):
                if seal.tree != tree { try cut(LogError.sealed(name, seal).what, in: file) }
                return
            case .end: fault = nil
            case .fault(let found): fault = found
            }
            // A torn write is left to whoever opens the ledger, and so is a clean end.
            guard let what = try judge(fault, cursor, mender.mended, head) else { return }
            guard try mender.turnBack(at: cursor, behind: tree) else { return try cut(what, in: file) }
            (isDamaged, reason, self.mender) = (true, reason ?? what, mender)
            cursor.read(mender.mended)
        }
    }

    /// What is wrong where neither a batch nor a seal stands; nil for a torn write, and at a clean end.
    private func judge(
        _ fault: BatchFault?, _ cursor: SegmentCursor, _ file: PatchedFile, _ head: Head?
    ) throws(LogError) -> String? {
        let tail = try disk("read the end of a segment") { () throws(FileError) in
            try SegmentTail.examine(file, from: cursor.offset, salt: cursor.header.salt, next: cursor.next)
        }
        var laterAt: UInt64?
        switch tail {
        case .clean: return nil
        case .torn:
            // Without a head nobody can say that it was never acknowledged: a copy is kept.
            if let head, head.size <= tree.size, !(fault?.isWhole ?? false) { return nil }
        case .damaged(let later): laterAt = later
        }
        return LogError.corrupted(
            name, at: cursor.offset, fault, last: SequenceNumber(tree.size), laterAt: laterAt, head
        ).what
    }

    private func check(_ head: Head?) throws(LogError) {
        guard let head, head.size == tree.size, head.root != tree.root else { return }
        throw LogError(
            .tampered, LogError.history(name, head).what, file: name,
            detail: "every record holds, so there is no place to cut the log at", next: Advice.compare)
    }

    private mutating func cut(_ reason: String, in file: any File) throws(LogError) {
        isDamaged = true
        self.reason = self.reason ?? reason
        let start = offset
        cutBytes = try disk("read the end of a segment") { () throws(FileError) in
            var (place, end) = (start, start)
            while true {
                let part = try file.bytes(at: place, count: LogBounds.blockBytes)
                if part.isEmpty { return end - start }
                if let last = part.lastIndex(where: { $0 != 0 }) { end = place + UInt64(last) + 1 }
                place += UInt64(part.count)
            }
        }
    }
}
