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
    private(set) var patches: [UInt64: UInt8] = [:]

    /// How many bytes are put right at most, besides the header.
    static let mendedBytesMax = 64

    private let name: String
    private let base: MerkleTree
    private let file: (any File)?
    private var header: SegmentHeader?

    /// Opens the last segment of a manifest as far as it can be opened.
    init(_ repair: LogRepair, _ manifest: Manifest) throws(LogError) {
        let place = manifest.segments.count - 1
        let entry = manifest.segments[place]
        base = try manifest.tree(before: place, repair.fileSystem, repair.home) ?? manifest.base
        tree = base
        name = SegmentName.name(entry.first)
        let path = repair.home.segment(entry.first)
        let isThere = try disk("look for a segment") { () throws(FileError) in
            try repair.fileSystem.status(of: path) != nil
        }
        do throws(LogError) {
            let segment = try SegmentFile.open(repair.fileSystem, repair.home, manifest, at: place)
            (file, header) = (segment.file, segment.header)
        } catch {
            guard [.missing, .corrupted, .tampered].contains(error.code) else { throw error }
            (isDamaged, reason, isNew) = (true, error.what, true)
            file = try disk("open a segment") { () throws(FileError) in
                isThere ? try repair.fileSystem.open(path, .read) : nil
            }
            if let file, error.code == .corrupted { try mendHeader(file, manifest) }
        }
    }

    /// Makes the header anew: all of it is known but the salt, and the first batch proves that.
    private mutating func mendHeader(_ file: any File, _ manifest: Manifest) throws(LogError) {
        let place = manifest.segments.count - 1
        let bytes = try disk("read a segment") { () throws(FileError) in
            try file.bytes(at: 0, count: LogBounds.headerBytes)
        }
        guard bytes.count == LogBounds.headerBytes else { return }
        let salt: UInt32 = bytes.span.integer(at: 28)
        // The salt as it is, or with one bit turned.
        for candidate in [salt] + (0..<32).map({ salt ^ (1 << UInt32($0)) }) {
            let mended = SegmentHeader(
                identity: manifest.identity, ordinal: UInt32(place + 1), salt: candidate,
                first: manifest.segments[place].first,
                previousSeal: place > 0 ? manifest.segments[place - 1].seal : nil)
            var cursor = SegmentCursor(mended, file)
            let step = try disk("read a segment") { () throws(FileError) in try cursor.step() }
            guard case .batch = step else { continue }
            for (place, byte) in mended.encoded.enumerated() where bytes[place] != byte {
                patches[UInt64(place)] = byte
            }
            (header, isNew) = (mended, false)
            return
        }
    }

    /// Reads all batches, recomputing the roots, and finds the place where they no longer hold.
    /// - Throws: ``LogError`` with code `.tampered` when they hold and the head vouches for others.
    mutating func read(head: Head?) throws(LogError) {
        defer { file?.close() }
        guard let file else { return }
        guard let header else { return try cut("", in: file) }
        var mends = 0
        // From the start once more with each bit that is put right.
        while try mendNext(header, PatchedFile(file, patches), head), mends < Self.mendedBytesMax { mends += 1 }
    }

    /// Reads up to the end or the first damage; returns whether that was one bit, which now is another.
    private mutating func mendNext(
        _ header: SegmentHeader, _ file: PatchedFile, _ head: Head?
    ) throws(LogError) -> Bool {
        var cursor = SegmentCursor(header, file)
        let hasher = LeafHasher(header.identity)
        (tree, offset) = (base, UInt64(LogBounds.headerBytes))
        try check(head)
        while true {
            let step = try disk("read a segment") { () throws(FileError) in try cursor.step() }
            switch step {
            case .batch(let batch):
                guard let next = tree.appending(batch, hasher) else {
                    try cut(LogError.root(name, batch).what, in: file)
                    return false
                }
                tree = next
                offset = cursor.offset
                try check(head)
            case .seal(let seal):
                if seal.tree != tree { try cut(LogError.sealed(name, seal).what, in: file) }
                return false
            case .end: return try judge(nil, cursor, file, head)
            case .fault(let fault): return try judge(fault, cursor, file, head)
            }
        }
    }

    /// A torn write is left to whoever opens the ledger; a bit is turned back; all else that is no batch is cut off.
    private mutating func judge(
        _ fault: BatchFault?, _ cursor: SegmentCursor, _ file: PatchedFile, _ head: Head?
    ) throws(LogError) -> Bool {
        let tail = try disk("read the end of a segment") { () throws(FileError) in
            try SegmentTail.examine(file, from: cursor.offset, salt: cursor.header.salt, next: cursor.next)
        }
        var laterAt: UInt64?
        switch tail {
        case .clean: return false
        case .torn:
            // Without a head nobody can say that it was never acknowledged: a copy is kept.
            if let head, head.size <= tree.size, !(fault?.isWhole ?? false) { return false }
        case .damaged(let later): laterAt = later
        }
        let what = LogError.corrupted(
            name, at: cursor.offset, fault, last: SequenceNumber(tree.size), laterAt: laterAt, head
        ).what
        if try turnBack(cursor, file) {
            (isDamaged, reason) = (true, reason ?? what)
            return true
        }
        try cut(what, in: file)
        return false
    }

    /// Puts right the one bit that keeps the batch at the cursor from being what was recorded.
    private mutating func turnBack(_ cursor: SegmentCursor, _ file: PatchedFile) throws(LogError) -> Bool {
        let bytes = try disk("read a segment") { () throws(FileError) in
            try file.bytes(at: cursor.offset, count: LogBounds.batchLengthMax)
        }
        guard let (byte, bit) = SingleBit.find(bytes.span, salt: cursor.header.salt) else { return false }
        let place = cursor.offset + UInt64(byte)
        let candidate = [place: bytes[byte] ^ (1 << UInt8(bit))]
        var again = cursor
        again.read(PatchedFile(file, candidate))
        let step = try disk("read a segment") { () throws(FileError) in try again.step() }
        let hasher = LeafHasher(cursor.header.identity)
        guard case .batch(let batch) = step, tree.appending(batch, hasher) != nil else { return false }
        patches.merge(candidate) { $1 }
        return true
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

extension MerkleTree {
    /// The tree with the records of a batch; nil when its root is not the one that the batch names.
    fileprivate func appending(_ batch: StoredBatch, _ hasher: LeafHasher) -> MerkleTree? {
        var next = self
        next.append(batch.records, hasher)
        return next.root == batch.root ? next : nil
    }
}
