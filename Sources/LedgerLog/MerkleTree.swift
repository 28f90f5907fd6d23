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
        for peak in peaks.dropLast().reversed() { root = Self.node(peak, root) }
        return root
    }

    /// Adds a leaf that is hashed already. Costs one node for each leaf in the long run.
    package mutating func append(_ leaf: TreeHash) {
        peaks.append(leaf)
        size += 1
        for _ in 0..<size.trailingZeroBitCount {
            let right = peaks.removeLast()
            let left = peaks.removeLast()
            peaks.append(Self.node(left, right))
        }
    }

    static let emptyRoot = TreeHash.sha256([UInt8]().span)

    /// An inner node: SHA-256(0x01, left, right).
    package static func node(_ left: TreeHash, _ right: TreeHash) -> TreeHash {
        var bytes: [UInt8] = [1]
        bytes.reserveCapacity(65)
        left.append(to: &bytes)
        right.append(to: &bytes)
        return .sha256(bytes.span)
    }
}

/// Hashes records into leaves: SHA-256(0x00, ledger id, sequence, time, type, version, payload), integers as
/// little-endian. Keeps its buffer from one leaf to the next.
package struct LeafHasher: Sendable {
    private let identity: LedgerID
    private var buffer: [UInt8] = []

    /// A hasher for the records of one ledger.
    package init(_ identity: LedgerID) { self.identity = identity }

    /// The leaf of a record; of a redacted one, the leaf that it kept.
    package mutating func leaf(
        _ sequence: SequenceNumber, _ time: Timestamp, type: UInt8, version: UInt8, payload: ArraySlice<UInt8>
    ) -> TreeHash {
        if type == LogBounds.redactedType, let kept = TreeHash(payload) { return kept }
        buffer.removeAll(keepingCapacity: true)
        buffer.append(0)
        buffer.append(integer: identity.low)
        buffer.append(integer: identity.high)
        buffer.append(integer: sequence.rawValue)
        buffer.append(integer: time.milliseconds)
        buffer.append(type)
        buffer.append(version)
        buffer.append(contentsOf: payload)
        return .sha256(buffer.span)
    }
}
