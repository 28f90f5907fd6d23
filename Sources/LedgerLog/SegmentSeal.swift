package import LedgerModel
import LedgerSystem

/// The footer of a segment that is finished: what is in it, and the tree up to its end.
package struct SegmentSeal: Hashable, Sendable {
    /// One entry of the sparse index.
    package struct Place: Hashable, Sendable {
        /// The first sequence of a batch.
        package let sequence: SequenceNumber
        /// Where that batch begins.
        package let offset: UInt64
    }

    /// The sequence the segment begins with.
    package var first: SequenceNumber
    /// How many records it holds; at least one.
    package var count: UInt64
    /// Where the seal begins: the end of the last batch.
    package var offset: UInt64
    /// The checksum of the last batch.
    package var chain: UInt32
    /// The latest time of its records. A program before 2026-11-26 wrote that of the last one, which is the same unless
    /// the clock went back.
    package var time: Timestamp
    /// The tree over all records up to the end of the segment.
    package var tree: MerkleTree
    /// The batches that begin at least ``LogBounds/indexStepBytes`` apart.
    package var index: [Place]

    static let magic: UInt32 = 0x4C41_4553  // "SEAL"
    static let closing: UInt32 = 0x4C41_4544  // "DEAL"
    static let fixedBytes = 96
    static let trailerBytes = 8

    /// The sequence of the last record.
    package var last: SequenceNumber { SequenceNumber(first.rawValue + count - 1) }

    /// Its length on disk.
    var length: Int { Self.fixedBytes + tree.peaks.count * 32 + index.count * 16 + Self.trailerBytes }

    /// The digest that the next header and the manifest repeat. It speaks of what is recorded and not of where it
    /// stands, so that a redaction keeps it.
    package func digest(_ header: SegmentHeader) -> TreeHash {
        var bytes: [UInt8] = Array("ledger seal 1".utf8)
        bytes.append(contentsOf: header.identity.bytes)
        bytes.append(integer: header.ordinal)
        bytes.append(integer: first.rawValue)
        bytes.append(integer: count)
        bytes.append(contentsOf: header.previousSeal)
        tree.root.append(to: &bytes)
        return .sha256(bytes.span)
    }

    func encoded(salt: UInt32) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(length)
        bytes.append(integer: Self.magic)
        bytes.append(integer: UInt32(0))
        bytes.append(integer: chain)
        bytes.append(integer: UInt32(length))
        bytes.append(integer: first.rawValue)
        bytes.append(integer: count)
        bytes.append(integer: offset)
        bytes.append(integer: UInt32(index.count))
        bytes.append(integer: UInt32(tree.peaks.count))
        bytes.append(integer: time.milliseconds)
        bytes.append(integer: UInt64(0))
        tree.root.append(to: &bytes)
        for peak in tree.peaks { peak.append(to: &bytes) }
        for place in index {
            bytes.append(integer: place.sequence.rawValue)
            bytes.append(integer: place.offset)
        }
        bytes.append(integer: UInt32(length))
        bytes.append(integer: Self.closing)
        bytes.replace(at: 4, with: CRC32C.checksum(bytes.span, exceptAt: 4, seed: salt))
        return bytes
    }

    /// The length that the bytes of a seal give, at least their first 16; nil when this is no seal.
    static func length(_ bytes: Span<UInt8>) -> Int? {
        guard bytes.count >= 16, bytes.integer(at: 0) == magic else { return nil }
        let length = Int(bytes.integer(at: 12, as: UInt32.self))
        let isPossible =
            length >= fixedBytes + trailerBytes && length <= LogBounds.batchLengthMax
            && length % LogBounds.alignmentBytes == 0
        return isPossible ? length : nil
    }

    /// The seal of a span that begins with it; nil when a sum or a field does not hold.
    init?(decoding bytes: Span<UInt8>, salt: UInt32) {
        guard let length = Self.length(bytes), length <= bytes.count else { return nil }
        let own = bytes.extracting(..<length)
        let indexed = Int(own.integer(at: 40, as: UInt32.self))
        let peaked = Int(own.integer(at: 44, as: UInt32.self))
        guard own.integer(at: 4) == CRC32C.checksum(own, exceptAt: 4, seed: salt), peaked <= 64,
            length == Self.fixedBytes + peaked * 32 + indexed * 16 + Self.trailerBytes
        else { return nil }
        chain = own.integer(at: 8)
        first = SequenceNumber(own.integer(at: 16))
        count = own.integer(at: 24)
        offset = own.integer(at: 32)
        time = Timestamp(milliseconds: own.integer(at: 48))
        var peaks: [TreeHash] = []
        for place in 0..<peaked { peaks.append(TreeHash(reading: own, at: Self.fixedBytes + place * 32)) }
        index = []
        for place in 0..<indexed {
            let start = Self.fixedBytes + peaked * 32 + place * 16
            index.append(
                Place(sequence: SequenceNumber(own.integer(at: start)), offset: own.integer(at: start + 8)))
        }
        let size = first.rawValue.addingReportingOverflow(count)
        guard count > 0, first > .zero, !size.overflow,
            let tree = MerkleTree(size: size.partialValue - 1, peaks: peaks),
            tree.root == TreeHash(reading: own, at: 64)
        else { return nil }
        self.tree = tree
    }

    init(
        first: SequenceNumber, count: UInt64, offset: UInt64, chain: UInt32, time: Timestamp, tree: MerkleTree,
        index: [Place]
    ) {
        self.first = first
        self.count = count
        self.offset = offset
        self.chain = chain
        self.time = time
        self.tree = tree
        self.index = index
    }
}
