import LedgerModel
import LedgerSystem

/// Builds a batch in memory, record by record, in the very bytes that will be written; its buffer is kept.
struct BatchWriter: Sendable {
    /// What a leaf needs of a staged record, whose payload stands in ``bytes``.
    private struct Staged: Sendable {
        var sequence: SequenceNumber
        var time: Timestamp
        var type: UInt8
        var version: UInt8
        var payload: Range<Int>
        var hidden: HiddenRecords?
    }

    private(set) var bytes: [UInt8] = []
    private var staged: [Staged] = []

    var count: Int { staged.count }
    var isEmpty: Bool { staged.isEmpty }
    var first: SequenceNumber? { staged.first?.sequence }
    /// The latest time of its records: a clock that was put back makes it another one's than the last.
    var newestTime: Timestamp? { staged.lazy.map(\.time).max() }

    /// The length it will have on disk.
    var length: Int { aligned(bytes.count) + LogBounds.rootBytes }

    mutating func append(_ record: LogRecord, as sequence: SequenceNumber) {
        precondition(record.type != LogBounds.hiddenType, "type 0 is the log's own")
        append(record, as: sequence, hidden: nil)
    }

    /// Adds what is left of records that are hidden, the first of them `sequence`.
    mutating func append(_ hidden: HiddenRecords, as sequence: SequenceNumber, _ time: Timestamp) {
        let record = LogRecord(
            type: LogBounds.hiddenType, version: hidden.reason.rawValue, time: time, payload: hidden.payload)
        append(record, as: sequence, hidden: hidden)
    }

    private mutating func append(_ record: LogRecord, as sequence: SequenceNumber, hidden: HiddenRecords?) {
        precondition(record.payload.count <= LogBounds.payloadBytesMax, "payloads are checked before they are staged")
        if staged.isEmpty {
            bytes.append(contentsOf: repeatElement(0, count: LogBounds.batchHeaderBytes))
        }
        let delta = (record.time.milliseconds &- (staged.first?.time ?? record.time).milliseconds).zigzag
        let body = 2 + Self.width(delta) + record.payload.count
        bytes.append(varint: UInt64(body))
        bytes.append(record.type)
        bytes.append(record.version)
        bytes.append(varint: delta)
        let start = bytes.count
        bytes.append(contentsOf: record.payload)
        staged.append(
            Staged(
                sequence: sequence, time: record.time, type: record.type, version: record.version,
                payload: start..<bytes.count, hidden: hidden))
    }

    /// Hashes the records into `tree` and completes the bytes: header, padding, root, checksum.
    /// - Returns: the checksum, and the root of the tree with them.
    mutating func finish(
        _ tree: inout MerkleTree, _ hasher: LeafHasher, chain: UInt32, salt: UInt32
    ) -> (checksum: UInt32, root: TreeHash) {
        guard let first = staged.first else { preconditionFailure("an empty batch is never written") }
        for record in staged {
            if let hidden = record.hidden {
                tree.append(subtree: hidden.root, height: hidden.height) { _, _ in }
                continue
            }
            tree.append(
                hasher.leaf(
                    record.sequence, record.time, type: record.type, version: record.version,
                    payload: bytes.span.extracting(record.payload)))
        }
        bytes.pad()
        let root = tree.root
        root.append(to: &bytes)
        bytes.replace(at: 0, with: UInt32(bytes.count))
        bytes.replace(at: 8, with: chain)
        bytes.replace(at: 12, with: UInt32(staged.count))
        bytes.replace(at: 16, with: first.sequence.rawValue)
        bytes.replace(at: 24, with: first.time.milliseconds)
        let checksum = CRC32C.checksum(bytes.span, exceptAt: 4, seed: salt)
        bytes.replace(at: 4, with: checksum)
        return (checksum, root)
    }

    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: bytes.capacity <= Self.keptBytesMax)
        staged.removeAll(keepingCapacity: staged.capacity <= Self.keptBytesMax / 64)
    }

    /// A buffer that grew beyond this for one large batch is given back.
    private static let keptBytesMax = 1 << 20

    private static func width(_ value: UInt64) -> Int { max(1, (70 - value.leadingZeroBitCount) / 7) }
}
