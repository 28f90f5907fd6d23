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

    /// What of it is put right, for people, such as "3 bytes and the seal".
    package var mendedParts: String {
        var parts: [String] = []
        if !patches.isEmpty { parts.append(patches.count == 1 ? "1 byte" : "\(patches.count) bytes") }
        if isSealNew { parts.append("the seal") }
        if parts.isEmpty { parts.append("what stood behind the seal") }
        return parts.joined(separator: " and ")
    }

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
        let hasher = LeafHasher(mender.header.identity)
        var (tree, contents) = (start, SegmentContents(mender.header))
        var cursor = SegmentCursor(mender.header, mender.mended)
        while contents.count < entry.count {
            if case .batch(let batch) = try cursor.advance() {
                guard let next = tree.appending(batch, hasher) else { return nil }
                tree = next
                contents.advance(past: batch)
            } else {
                guard try mender.turnBack(at: cursor, behind: tree) else { return nil }
                cursor.read(mender.mended)
            }
        }
        if case .seal(let found) = try cursor.advance() {
            (seal, isSealNew) = (found, false)
        } else {
            (seal, isSealNew) = (contents.seal(tree), true)
        }
        (salt, patches) = (mender.header.salt, mender.patches)
        guard seal.count == entry.count, seal.tree == tree, tree.root == entry.root,
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
}

extension SegmentCursor {
    /// The next step of a walk through a segment that is repaired.
    mutating func advance() throws(LogError) -> Step {
        do throws(FileError) { return try step() } catch { throw LogError(error, doing: "read a segment") }
    }
}
