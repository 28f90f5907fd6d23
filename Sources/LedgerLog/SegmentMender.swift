import LedgerModel
import LedgerSystem

/// Puts right what is proven to have been otherwise in a damaged segment: its header, of which all is known but the
/// salt, and single bits of its batches.
struct SegmentMender {
    /// The segment's header as it was.
    let header: SegmentHeader
    /// The bytes that are put right, by their offset.
    private(set) var patches: [UInt64: UInt8] = [:]
    private let file: any File
    private var turnedBits = 0

    /// How many bits of batches are turned back at most; the next one stays as it is.
    static let turnedBitsMax = 64

    /// One for a segment whose header holds.
    init(_ segment: SegmentFile) { (header, file) = (segment.header, segment.file) }

    /// One for a file whose header is damaged and should be that of the segment at `place`; nil when its first batch
    /// does not prove any that could have been there.
    init?(_ file: any File, _ manifest: Manifest, at place: Int) throws(LogError) {
        let bytes = try disk("read a segment") { () throws(FileError) in
            try file.bytes(at: 0, count: LogBounds.headerBytes)
        }
        guard bytes.count == LogBounds.headerBytes else { return nil }
        let salt: UInt32 = bytes.span.integer(at: 28)
        // The salt as it is, or with one bit turned.
        for candidate in [salt] + (0..<32).map({ salt ^ (1 << UInt32($0)) }) {
            let header = SegmentHeader(
                identity: manifest.identity, ordinal: UInt32(place + 1), salt: candidate,
                first: manifest.segments[place].first,
                previousSeal: place > 0 ? manifest.segments[place - 1].seal : nil)
            var cursor = SegmentCursor(header, file)
            let step = try disk("read a segment") { () throws(FileError) in try cursor.step() }
            guard case .batch = step else { continue }
            (self.header, self.file) = (header, file)
            for (place, byte) in header.encoded.enumerated() where bytes[place] != byte {
                patches[UInt64(place)] = byte
            }
            return
        }
        return nil
    }

    /// The file as it reads with them.
    var mended: PatchedFile { PatchedFile(file, patches) }

    /// Puts right the one bit that keeps the batch at the cursor from being what was recorded behind `tree`.
    /// - Returns: whether it did; false where it is not one bit, or too many were turned back already.
    mutating func turnBack(at cursor: SegmentCursor, behind tree: MerkleTree) throws(LogError) -> Bool {
        guard turnedBits < Self.turnedBitsMax else { return false }
        let mended = mended
        let bytes = try disk("read a segment") { () throws(FileError) in
            try mended.bytes(at: cursor.offset, count: LogBounds.batchLengthMax)
        }
        guard let (byte, bit) = SingleBit.find(bytes.span, salt: header.salt) else { return false }
        let candidate = [cursor.offset + UInt64(byte): bytes[byte] ^ (1 << UInt8(bit))]
        var again = cursor
        again.read(PatchedFile(mended, candidate))
        let step = try disk("read a segment") { () throws(FileError) in try again.step() }
        guard case .batch(let batch) = step, tree.appending(batch, LeafHasher(header.identity)) != nil else {
            return false
        }
        patches.merge(candidate) { $1 }
        turnedBits += 1
        return true
    }
}

extension MerkleTree {
    /// The tree with the records of a batch; nil when its root is not the one that the batch names.
    func appending(_ batch: StoredBatch, _ hasher: LeafHasher) -> MerkleTree? {
        var next = self
        next.append(batch.records, hasher)
        return next.root == batch.root ? next : nil
    }
}
