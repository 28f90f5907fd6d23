import Testing

@testable import LedgerLog

/// Proofs against a tree that is written down as RFC 6962 defines it.
@Suite struct MerkleProofTests {
    private static let leaves = (0..<70).map { TreeHash.sha256([0, UInt8($0)].span) }

    /// MTH of section 2.1.
    private static func root(_ range: Range<Int>) -> TreeHash {
        if range.isEmpty { return MerkleTree.emptyRoot }
        if range.count == 1 { return leaves[range.lowerBound] }
        let middle = range.lowerBound + half(range.count)
        return MerkleTree.node(root(range.lowerBound..<middle), root(middle..<range.upperBound))
    }

    /// The largest power of two smaller than `count`.
    private static func half(_ count: Int) -> Int {
        var half = 1
        while half * 2 < count { half *= 2 }
        return half
    }

    /// PATH of section 2.1.1.
    private static func path(_ index: Int, _ range: Range<Int>) -> [TreeHash] {
        if range.count <= 1 { return [] }
        let middle = range.lowerBound + half(range.count)
        let (left, right) = (range.lowerBound..<middle, middle..<range.upperBound)
        return index < middle ? path(index, left) + [root(right)] : path(index, right) + [root(left)]
    }

    /// SUBPROOF of section 2.1.2.
    private static func subproof(_ size: Int, _ range: Range<Int>, _ isWhole: Bool) -> [TreeHash] {
        if size == range.upperBound { return isWhole ? [] : [root(range)] }
        let middle = range.lowerBound + half(range.count)
        let (left, right) = (range.lowerBound..<middle, middle..<range.upperBound)
        return size <= middle
            ? subproof(size, left, isWhole) + [root(right)] : subproof(size, right, false) + [root(left)]
    }

    private static func head(_ size: Int) -> TreeHead { TreeHead(size: UInt64(size), root: root(0..<size)) }

    @Test(arguments: 1...70) func `an inclusion proof is that of the definition, and proves its leaf only`(size: Int) {
        let root = Self.root(0..<size)
        for index in 0..<size {
            let expected = Self.path(index, 0..<size)
            let path = MerkleProof.inclusion(of: UInt64(index), in: UInt64(size)).map { stretch in
                Self.root(Int(stretch.lowerBound)..<Int(stretch.upperBound))
            }
            #expect(path == expected)
            func computed(_ leaf: Int, at place: Int, in size: Int, _ path: [TreeHash]) -> TreeHash? {
                MerkleProof.root(holding: Self.leaves[leaf], at: UInt64(place), in: UInt64(size), by: path)
            }
            #expect(computed(index, at: index, in: size, path) == root)
            #expect(computed((index + 1) % 70, at: index, in: size, path) != root)
            if index + 1 < size { #expect(computed(index, at: index + 1, in: size, path) != root) }
            #expect(computed(index, at: index, in: size, path + [root]) == nil)
            #expect(computed(index, at: size, in: size, path) == nil)
        }
    }

    @Test(arguments: 1...70) func `a consistency proof is that of the definition, and proves its roots only`(to: Int) {
        for from in 1...to {
            let expected = Self.subproof(from, 0..<to, true)
            let path = MerkleProof.consistency(from: UInt64(from), to: UInt64(to)).map { stretch in
                Self.root(Int(stretch.lowerBound)..<Int(stretch.upperBound))
            }
            #expect(path == expected)
            let (old, new) = (Self.head(from), Self.head(to))
            #expect(MerkleProof.isConsistent(old, new, by: path))
            let other = TreeHead(size: old.size, root: Self.leaves[0] == old.root ? Self.leaves[1] : Self.leaves[0])
            #expect(!MerkleProof.isConsistent(other, new, by: path))
            #expect(!MerkleProof.isConsistent(old, TreeHead(size: new.size, root: other.root), by: path))
            for place in path.indices {
                var spoilt = path
                spoilt[place] = MerkleTree.emptyRoot
                #expect(!MerkleProof.isConsistent(old, new, by: spoilt))
            }
            #expect(!MerkleProof.isConsistent(old, new, by: path + [new.root]))
        }
    }

    @Test func `subtrees are gathered while the tree grows, from whatever it begins with`() {
        for start in 0...40 {
            var tree = MerkleTree()
            for leaf in Self.leaves[..<start] { tree.append(leaf) }
            let stretches = MerkleProof.inclusion(of: UInt64(start), in: 70) + [0..<70]
            var gatherer = TreeGatherer(stretches)
            gatherer.start(at: tree)
            for leaf in Self.leaves[start...] { gatherer.append(leaf) }
            #expect(gatherer.missing.isEmpty)
            for stretch in stretches {
                #expect(gatherer.hash(of: stretch) == Self.root(Int(stretch.lowerBound)..<Int(stretch.upperBound)))
            }
        }
    }
}
