/// A perfect subtree of the tree over a log: 2^level leaves, the first of which stands at a multiple of that.
struct TreeNode: Hashable, Sendable {
    /// How many halvings it is above the leaves.
    let level: Int
    /// Its first leaf, 0-based.
    let start: UInt64

    /// One past its last leaf: the size of the tree that completes it.
    var end: UInt64 { start + (1 << UInt64(level)) }
}

/// Proofs of RFC 6962 section 2.1, as arithmetic: which stretches of leaves a proof names the hashes of, and what such
/// hashes prove. Leaves are counted from 0, as there.
package enum MerkleProof {
    /// The stretches whose hashes prove that the leaf at `index` is in a tree of `size` leaves, the nearest first
    /// (section 2.1.1).
    static func inclusion(of index: UInt64, in size: UInt64) -> [Range<UInt64>] {
        precondition(index < size, "a leaf that is not in the tree has no proof")
        var siblings: [Range<UInt64>] = []
        var rest = 0..<size
        while rest.count > 1 {
            let (left, right) = halves(of: rest)
            if left.contains(index) {
                siblings.append(right)
                rest = left
            } else {
                siblings.append(left)
                rest = right
            }
        }
        return siblings.reversed()
    }

    /// The stretches whose hashes prove that a tree of `to` leaves begins with the tree of its first `from`, the
    /// nearest first (section 2.1.2). None when the two are one.
    static func consistency(from: UInt64, to: UInt64) -> [Range<UInt64>] {
        precondition(0 < from && from <= to, "only a tree with leaves is the beginning of another")
        var parts: [Range<UInt64>] = []
        var rest = 0..<to
        while rest.upperBound > from {
            let (left, right) = halves(of: rest)
            if from <= left.upperBound {
                parts.append(right)
                rest = left
            } else {
                parts.append(left)
                rest = right
            }
        }
        // The whole old tree is known to whoever checks; a part of it has to be named.
        if rest.lowerBound > 0 { parts.append(rest) }
        return parts.reversed()
    }

    /// The perfect subtrees that a stretch named by a proof is the sum of, the largest first.
    static func peaks(of stretch: Range<UInt64>) -> [TreeNode] {
        var nodes: [TreeNode] = []
        var start = stretch.lowerBound
        while start < stretch.upperBound {
            let level = 63 - (stretch.upperBound - start).leadingZeroBitCount
            nodes.append(TreeNode(level: level, start: start))
            start += 1 << UInt64(level)
        }
        return nodes
    }

    /// The root of a tree of `size` leaves that `path` proves to hold `leaf` at `index`; nil when the path is longer or
    /// shorter than such a proof is.
    package static func root(
        holding leaf: TreeHash, at index: UInt64, in size: UInt64, by path: [TreeHash]
    ) -> TreeHash? {
        guard index < size else { return nil }
        let siblings = inclusion(of: index, in: size)
        guard siblings.count == path.count else { return nil }
        return zip(siblings, path).reduce(leaf) { hash, sibling in
            sibling.0.upperBound <= index
                ? MerkleTree.node(sibling.1, hash) : MerkleTree.node(hash, sibling.1)
        }
    }

    /// Whether `path` proves that the tree `new` begins with the tree `old`.
    package static func isConsistent(_ old: TreeHead, _ new: TreeHead, by path: [TreeHash]) -> Bool {
        guard 0 < old.size, old.size <= new.size else { return false }
        let parts = consistency(from: old.size, to: new.size)
        guard parts.count == path.count else { return false }
        var hashes = Array(zip(parts, path))[...]
        // Both roots grow from the part that ends where the old tree does.
        var (oldRoot, newRoot) = (old.root, old.root)
        if let first = hashes.first, first.0.upperBound == old.size {
            (oldRoot, newRoot) = (first.1, first.1)
            hashes.removeFirst()
        }
        for (part, hash) in hashes {
            if part.lowerBound < old.size {
                oldRoot = MerkleTree.node(hash, oldRoot)
                newRoot = MerkleTree.node(hash, newRoot)
            } else {
                newRoot = MerkleTree.node(newRoot, hash)
            }
        }
        return oldRoot == old.root && newRoot == new.root
    }

    /// The two subtrees under the root of a stretch: the left one is perfect, and as large as it can be.
    private static func halves(of stretch: Range<UInt64>) -> (Range<UInt64>, Range<UInt64>) {
        let count = stretch.upperBound - stretch.lowerBound
        let middle = stretch.lowerBound + (1 << UInt64(63 - (count - 1).leadingZeroBitCount))
        return (stretch.lowerBound..<middle, middle..<stretch.upperBound)
    }
}
