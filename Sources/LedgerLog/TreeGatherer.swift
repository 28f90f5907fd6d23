/// Keeps the hashes of some perfect subtrees of a log while its tree grows over the records.
struct TreeGatherer: Sendable {
    /// The tree over what went by.
    private(set) var tree = MerkleTree()
    /// The subtrees asked for that were not met yet.
    private(set) var missing: Set<TreeNode>
    private var hashes: [TreeNode: TreeHash] = [:]

    init(_ stretches: [Range<UInt64>]) { missing = Set(stretches.flatMap(MerkleProof.peaks)) }

    /// Whether a subtree asked for ends within these leaves, counted as sizes of the tree.
    func needs(_ sizes: ClosedRange<UInt64>) -> Bool { missing.contains { sizes.contains($0.end) } }

    /// Goes on from a tree that is known to be right: its peaks are subtrees too.
    mutating func start(at tree: MerkleTree) {
        self.tree = tree
        for (node, hash) in zip(MerkleProof.peaks(of: 0..<tree.size), tree.peaks) { keep(node, hash) }
    }

    /// Adds a record's leaf, or what stands for the leaves of several that are hidden.
    mutating func append(_ root: TreeHash, height: Int = 0) {
        tree.append(subtree: root, height: height) { node, hash in
            if missing.remove(node) != nil { hashes[node] = hash }
        }
    }

    /// The hash of a stretch; nil while a part of it is missing.
    func hash(of stretch: Range<UInt64>) -> TreeHash? {
        let peaks = MerkleProof.peaks(of: stretch).compactMap { hashes[$0] }
        return MerkleTree(size: stretch.upperBound - stretch.lowerBound, peaks: peaks)?.root
    }

    private mutating func keep(_ node: TreeNode, _ hash: TreeHash) {
        if missing.remove(node) != nil { hashes[node] = hash }
    }
}
