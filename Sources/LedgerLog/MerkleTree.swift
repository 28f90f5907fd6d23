package import LedgerModel

/// The hash tree of RFC 6962 section 2.1 over all records since sequence 1, as its peaks: the roots of the perfect
/// subtrees that its size is the sum of. Enough to append and to know the root; the leaves themselves are in the log.
package struct MerkleTree: Hashable, Sendable {
    /// How many leaves there are: the sequence of the last record.
    package private(set) var size: UInt64
    /// The roots of the perfect subtrees, the largest first; at most 64.
    package private(set) var peaks: [TreeHash]

    /// The tree of nothing.
    package init() {
        size = 0
        peaks = []
    }

    /// A tree of `size` leaves with these peaks; nil when there can not be so many.
    package init?(size: UInt64, peaks: [TreeHash]) {
        guard peaks.count == size.nonzeroBitCount else { return nil }
        self.size = size
        self.peaks = peaks
    }

    /// The root: SHA-256 of nothing for the empty tree, as RFC 6962 has it.
    package var root: TreeHash {
        guard var root = peaks.last else { return Self.emptyRoot }
        for place in peaks.indices.dropLast().reversed() { root = Self.node(peaks[place], root) }
        return root
    }

    /// Adds a leaf that is hashed already. Costs one node for each leaf in the long run.
    package mutating func append(_ leaf: TreeHash) { append(subtree: leaf, height: 0) { _, _ in } }

    /// Adds the root of a perfect subtree of 2^`height` leaves, which may only stand at a multiple of its size, and
    /// shows every perfect subtree that it completes, itself first.
    mutating func append(subtree: TreeHash, height: Int, showing show: (TreeNode, TreeHash) -> Void) {
        precondition(size & ((1 << height) - 1) == 0, "a subtree stands at a multiple of its size")
        size += 1 << height
        var peak = subtree
        show(TreeNode(level: height, start: size - (1 << UInt64(height))), peak)
        for level in height..<size.trailingZeroBitCount {
            peak = Self.node(peaks.removeLast(), peak)
            show(TreeNode(level: level + 1, start: size - (2 << UInt64(level))), peak)
        }
        peaks.append(peak)
    }

    /// Adds records, or what hidden ones left of themselves.
    package mutating func append(_ records: StoredRecords, _ hasher: LeafHasher) {
        var rest = records
        while let part = rest.nextPart(hasher) { append(subtree: part.root, height: part.height) { _, _ in } }
    }

    /// The same, and shows the root at each of these sizes that is met: what hidden ones left stands for several.
    mutating func append(
        _ records: StoredRecords, _ hasher: LeafHasher, showingRootsAt sizes: Set<UInt64>,
        _ show: (SequenceNumber, TreeHash) -> Void
    ) {
        if sizes.isEmpty { return append(records, hasher) }
        var rest = records
        while let part = rest.nextPart(hasher) {
            append(subtree: part.root, height: part.height) { _, _ in }
            if sizes.contains(part.last.rawValue) { show(part.last, root) }
        }
    }

    static let emptyRoot = TreeHash.sha256([UInt8]().span)

    /// An inner node: SHA-256(0x01, left, right).
    package static func node(_ left: TreeHash, _ right: TreeHash) -> TreeHash {
        var bytes = InlineArray<65, UInt8>(repeating: 1)
        var span = bytes.mutableSpan
        left.store(to: &span, at: 1)
        right.store(to: &span, at: 33)
        return .sha256(bytes.span)
    }
}

/// Hashes records into leaves: SHA-256(0x00, ledger id, sequence, time, type, version, payload), integers as
/// little-endian.
package struct LeafHasher: Sendable {
    /// What stands before the payload, in bytes.
    private static let headBytes = 35
    /// How much is hashed in one piece, in bytes.
    private static let pieceBytesMax = 128

    private let identity: LedgerID

    /// A hasher for the records of one ledger.
    package init(_ identity: LedgerID) { self.identity = identity }

    /// The leaf of a record whose content is there.
    package func leaf(
        _ sequence: SequenceNumber, _ time: Timestamp, type: UInt8, version: UInt8, payload: Span<UInt8>
    ) -> TreeHash {
        let whole = Self.headBytes + payload.count
        // One piece with the payload where it fits, as most do: hashing two costs more.
        let isOnePiece = whole <= Self.pieceBytesMax
        var bytes = InlineArray<128, UInt8>(repeating: 0)
        var span = bytes.mutableSpan
        span.store(identity.low, at: 1)
        span.store(identity.high, at: 9)
        span.store(sequence.rawValue, at: 17)
        span.store(time.milliseconds, at: 25)
        span[33] = type
        span[34] = version
        if isOnePiece {
            unsafe span.withUnsafeMutableBytes { target in
                unsafe payload.withUnsafeBytes { payload in
                    unsafe UnsafeMutableRawBufferPointer(rebasing: target[Self.headBytes...]).copyMemory(from: payload)
                }
            }
        }
        return isOnePiece
            ? .sha256(bytes.span.extracting(first: whole))
            : .sha256(bytes.span.extracting(first: Self.headBytes), payload)
    }
}
