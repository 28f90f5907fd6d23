import LedgerModel
import LedgerSystem

/// A finished segment as it was when it was sealed, made of one in which bits turned or whose seal is damaged: all
/// that the manifest says of it holds again, which proves it.
package struct MendedSegment: Hashable, Sendable {
    /// What the manifest says of it.
    let entry: Manifest.Entry
    /// The header's salt.
    let salt: UInt32
    /// The bytes before the seal that are put right, by their offset.
    package let patches: [UInt64: UInt8]
    /// The seal behind its batches.
    let seal: SegmentSeal
    /// Whether the seal is made anew.
    package let isSealNew: Bool
    /// What is wrong with the segment, as a sentence without a full stop.
    package let reason: String

    /// Its name.
    package var name: String { SegmentName.name(entry.first) }

    /// The segment at `place` of a manifest, in the log, behind `start`; nil when its damage is of another kind.
    /// - Throws: ``LogError``: `.missing`, `.tampered`, `.io`.
    init?(
        at place: Int, of manifest: Manifest, behind start: MerkleTree, _ reason: String, _ fileSystem: any FileSystem,
        _ home: LogHome
    ) throws(LogError) {
        entry = manifest.segments[place]
        self.reason = reason
        let file = try disk("open a segment") { [entry] () throws(FileError) in
            try fileSystem.open(home.segment(entry.first), .read)
        }
        defer { file.close() }
        guard var mender = try Self.mender(file, manifest, at: place, fileSystem, home) else { return nil }
        // From the start once more with each bit that is turned back.
        var walk = try Walk(mender, entry, behind: start)
        while let end = walk.damage {
            guard try mender.turnBack(at: end, behind: walk.tree) else { return nil }
            walk = try Walk(mender, entry, behind: start)
        }
        (isSealNew, seal) = (walk.seal == nil, walk.seal ?? walk.contents.seal(walk.tree))
        (salt, patches) = (mender.header.salt, mender.patches)
        guard seal.count == entry.count, seal.tree == walk.tree, seal.tree.root == entry.root,
            seal.digest(mender.header) == entry.seal
        else { return nil }
    }

    private static func mender(
        _ file: any File, _ manifest: Manifest, at place: Int, _ fileSystem: any FileSystem, _ home: LogHome
    ) throws(LogError) -> SegmentMender? {
        do throws(LogError) {
            let segment = try SegmentFile.open(fileSystem, home, manifest, at: place)
            segment.file.close()
            return SegmentMender(SegmentFile(file: file, header: segment.header, name: segment.name))
        } catch {
            guard error.code == .corrupted else { throw error }
            return try SegmentMender(file, manifest, at: place)
        }
    }

    /// One way through the batches that the manifest counts.
    private struct Walk {
        private(set) var tree: MerkleTree
        private(set) var contents: SegmentContents
        /// Where a batch should stand and none does; nil when all are there.
        private(set) var damage: SegmentCursor?
        /// The seal behind them; nil when that is damaged.
        private(set) var seal: SegmentSeal?

        init(_ mender: SegmentMender, _ entry: Manifest.Entry, behind start: MerkleTree) throws(LogError) {
            (tree, contents) = (start, SegmentContents(mender.header))
            let hasher = LeafHasher(mender.header.identity)
            var cursor = SegmentCursor(mender.header, mender.mended)
            while contents.count < entry.count {
                let step = try disk("read a segment") { () throws(FileError) in try cursor.step() }
                guard case .batch(let batch) = step, let next = tree.appending(batch, hasher) else {
                    damage = cursor
                    return
                }
                tree = next
                contents.advance(past: batch)
            }
            let step = try disk("read a segment") { () throws(FileError) in try cursor.step() }
            if case .seal(let found) = step { seal = found }
        }
    }
}
