import LedgerModel

/// What is left of records whose content was taken out, redacted or thinned: the root of the perfect subtree over their
/// leaves, so that the tree's roots still come out. One record is a subtree of height 0, its leaf.
package struct HiddenRecords: Hashable, Sendable {
    /// Why content was taken out: the version of the record that is left.
    package enum Reason: UInt8, Hashable, Sendable {
        /// A compaction took out what nobody asks for any longer; a snapshot, or the archive, stands for it.
        case thinned = 0
        /// Somebody asked that it be forgotten: it is nowhere any longer, and folding passes over it.
        case redacted = 1
    }

    /// The root over their leaves.
    package let root: TreeHash
    /// The subtree's height: it stands for 2^height records.
    package let height: Int
    /// Why they are hidden.
    package let reason: Reason

    /// How many records.
    package var count: UInt64 { 1 << height }

    /// The highest subtree that a record may stand for.
    static let heightMax = 40

    init(root: TreeHash, height: Int, _ reason: Reason) {
        self.root = root
        self.height = height
        self.reason = reason
    }

    /// The payload of a record of type ``LogBounds/hiddenType``: 32 bytes of a leaf, or a height and 32 bytes; nil for
    /// any other.
    init?(payload: Span<UInt8>, version: UInt8) {
        guard let reason = Reason(rawValue: version) else { return nil }
        if payload.count == 32 {
            self.init(root: TreeHash(reading: payload, at: 0), height: 0, reason)
        } else if payload.count == 33, (1...Self.heightMax).contains(Int(payload[0])) {
            self.init(root: TreeHash(reading: payload, at: 1), height: Int(payload[0]), reason)
        } else {
            return nil
        }
    }

    var payload: [UInt8] { height == 0 ? root.bytes : [UInt8(height)] + root.bytes }
}

/// Hidden records in a row; thinned ones are joined into as few subtrees as there can be. Each redacted one keeps its
/// leaf: that it was there can still be proved.
struct HiddenRun {
    /// A subtree, the sequence of its first record and that one's time.
    struct Part {
        var records: HiddenRecords
        var first: SequenceNumber
        var time: Timestamp
    }

    private(set) var parts: [Part] = []

    /// Adds what is left of the records from `first` on, which follow those before.
    mutating func append(_ records: HiddenRecords, first: SequenceNumber, time: Timestamp) {
        parts.append(Part(records: records, first: first, time: time))
        while parts.count > 1 {
            let (left, right) = (parts[parts.count - 2], parts[parts.count - 1])
            let height = left.records.height
            let index = left.first.rawValue - 1
            guard height == right.records.height, left.records.reason == .thinned, right.records.reason == .thinned,
                height < HiddenRecords.heightMax,
                index & ((1 << (height + 1)) - 1) == 0
            else { return }
            parts.removeLast(2)
            let root = MerkleTree.node(left.records.root, right.records.root)
            parts.append(
                Part(
                    records: HiddenRecords(root: root, height: height + 1, left.records.reason), first: left.first,
                    time: left.time))
        }
    }

    mutating func removeAll() { parts.removeAll(keepingCapacity: true) }
}
