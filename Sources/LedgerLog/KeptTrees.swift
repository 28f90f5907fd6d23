import LedgerModel
import LedgerSystem

/// The trees at the ends of segments that compactions took out of the log, in the file `trees` of the home: what an
/// archived segment goes on from when the one before it was dropped, or stands in no archive at hand.
///
/// Nothing in it is trusted: a tree counts when its root is the one that the manifest has for that end. So it has no
/// checksum, and a damaged or lost one is as good as none. Each compaction that takes segments out writes it anew, with
/// all that can be had: from the file of before, or from segments that are there.
struct KeptTrees {
    static let magic: UInt32 = 0x5447_444C  // "LDGT"
    static let headerBytes = 8
    /// What stands before the peaks of a tree: its size.
    private static let sizeBytes = 8

    /// In ascending order of their sizes.
    private let trees: [MerkleTree]

    init(_ trees: [MerkleTree]) { self.trees = trees }

    /// The tree at the end of a segment; nil when it was not kept, or is not what the manifest vouches for.
    func tree(after entry: Manifest.Entry) -> MerkleTree? {
        trees.first { $0.size == entry.last.rawValue && $0.root == entry.root }
    }

    /// The trees of `next` that some archived segment goes on from: all that can be had of them now.
    /// - Parameter manifest: the one that `next` replaces, by which the segments still stand.
    static func collect(
        for next: Manifest, by manifest: Manifest, _ fileSystem: any FileSystem, _ home: LogHome
    ) -> KeptTrees {
        var trees: [MerkleTree] = []
        let before: KeptTrees
        do throws(LogError) { before = try load(fileSystem, home) } catch {
            // As good as none: what is at hand still tells.
            before = KeptTrees([])
        }
        for (place, entry) in next.segments.enumerated() where place > 0 && entry.state == .archived {
            do throws(LogError) {
                if let tree = try manifest.tree(before: place, fileSystem, home, before) { trees.append(tree) }
            } catch {
                // What can not be read is for a verification to tell, and holds up no compaction.
            }
        }
        return KeptTrees(trees)
    }

    /// The oldest are left out of what would be longer than ``LogBounds/treesBytesMax``.
    var encoded: [UInt8] {
        var parts: [[UInt8]] = []
        var count = Self.headerBytes
        for tree in trees.reversed() {
            count += Self.sizeBytes + tree.peaks.count * LogBounds.rootBytes
            guard count <= LogBounds.treesBytesMax else { break }
            var part: [UInt8] = []
            part.append(integer: tree.size)
            for peak in tree.peaks { peak.append(to: &part) }
            parts.append(part)
        }
        var bytes: [UInt8] = []
        bytes.append(integer: Self.magic)
        bytes.append(integer: LogBounds.format)
        bytes.append(integer: UInt16(0))
        return bytes + parts.reversed().joined()
    }

    /// As many trees as stand there whole.
    init(decoding array: [UInt8]) {
        let bytes = array.span
        var trees: [MerkleTree] = []
        var place = Self.headerBytes
        let isKnown =
            bytes.count >= Self.headerBytes && bytes.integer(at: 0) == Self.magic
            && bytes.integer(at: 4) == LogBounds.format
        while isKnown, bytes.count - place >= Self.sizeBytes {
            let size: UInt64 = bytes.integer(at: place)
            place += Self.sizeBytes
            guard bytes.count - place >= size.nonzeroBitCount * LogBounds.rootBytes else { break }
            let peaks = (0..<size.nonzeroBitCount).map {
                TreeHash(reading: bytes, at: place + $0 * LogBounds.rootBytes)
            }
            place += peaks.count * LogBounds.rootBytes
            if let tree = MerkleTree(size: size, peaks: peaks) { trees.append(tree) }
        }
        self.trees = trees
    }

    /// Those of a home; none where the file is not there.
    static func load(_ fileSystem: any FileSystem, _ home: LogHome) throws(LogError) -> KeptTrees {
        try disk("read the trees of what was taken out of the log") { () throws(FileError) in
            KeptTrees(decoding: try fileSystem.content(of: home.trees, bytesMax: LogBounds.treesBytesMax) ?? [])
        }
    }

    /// Writes them durably in the place of those before.
    func store(_ fileSystem: any FileSystem, _ home: LogHome) throws(FileError) {
        try fileSystem.replaceContents(of: home.trees, with: encoded, permissions: LogHome.fileMode)
    }
}
