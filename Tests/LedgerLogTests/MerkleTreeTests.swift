import LedgerModel
import Testing

@testable import LedgerLog

@Suite struct MerkleTreeTests {
    /// The leaves and roots that the first implementation of RFC 6962 is tested with.
    private static let inputs = [
        "", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f",
    ]
    private static let roots = [
        "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
        "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
        "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
        "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
        "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
        "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
        "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
    ]

    @Test func `roots are those of RFC 6962`() throws {
        var tree = MerkleTree()
        #expect(tree.root.description == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
        for (input, root) in zip(Self.inputs, Self.roots) {
            let leaf = [0] + (try #require([UInt8](hex: input)))
            tree.append(.sha256(leaf.span))
            #expect(tree.root.description == root, "after \(tree.size) leaves")
        }
    }

    @Test func `the peaks are the roots of the perfect subtrees, the largest first`() {
        let leaves = (0..<21).map { TreeHash.sha256([0, UInt8($0)].span) }
        func root(_ range: Range<Int>) -> TreeHash {
            if range.count == 1 { return leaves[range.lowerBound] }
            let half = range.lowerBound + range.count / 2
            return MerkleTree.node(root(range.lowerBound..<half), root(half..<range.upperBound))
        }
        var tree = MerkleTree()
        for leaf in leaves { tree.append(leaf) }
        #expect(tree.peaks == [root(0..<16), root(16..<20), root(20..<21)])
        #expect(MerkleTree(size: 21, peaks: tree.peaks)?.root == tree.root)
        #expect(MerkleTree(size: 20, peaks: tree.peaks) == nil)
    }

    @Test func `a leaf binds everything that a record is`() {
        let hasher = LeafHasher(LedgerID(1, 2))
        let other = LeafHasher(LedgerID(1, 3))
        func leaf(
            _ hasher: LeafHasher, _ sequence: UInt64 = 1, _ time: Int64 = 5, _ type: UInt8 = 1,
            _ version: UInt8 = 1, _ payload: [UInt8] = [1, 2, 3]
        ) -> TreeHash {
            hasher.leaf(
                SequenceNumber(sequence), Timestamp(milliseconds: time), type: type, version: version,
                payload: payload.span)
        }
        let leaves: Set = [
            leaf(hasher), leaf(other), leaf(hasher, 2), leaf(hasher, 1, 6), leaf(hasher, 1, 5, 2),
            leaf(hasher, 1, 5, 1, 2), leaf(hasher, 1, 5, 1, 1, [1, 2]),
        ]
        #expect(leaves.count == 7)
    }
}
