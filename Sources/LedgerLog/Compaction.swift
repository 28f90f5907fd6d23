package import LedgerModel
import LedgerSystem
import SystemPackage

/// What a compaction takes out of the log, decided at one moment: a value, so that the long work on it, which only
/// reads finished segments and makes new files beside them, can be done while the log is written on.
package struct Compaction: Sendable {
    /// The segments that leave the log.
    package internal(set) var taken: [Manifest.Entry] = []
    /// The segments that stay without the content of some records.
    package var thinned: [Manifest.Entry] = []
    /// Whether what goes is kept in the archive.
    package let archives: Bool

    let fileSystem: any FileSystem
    let home: LogHome
    /// Not the lock itself, which a compaction that outlives its log would keep.
    let held: HomeIdentity
    var manifest: Manifest

    /// The last record that is not in the log any more; zero when all are.
    package var base: SequenceNumber { SequenceNumber(manifest.base.size) }
    /// The sequence of the snapshot that stands for what left the log before; zero when nothing did.
    package var snapshot: SequenceNumber { manifest.snapshot }
    /// Whether there is nothing to do.
    package var isEmpty: Bool { taken.isEmpty && thinned.isEmpty }
    /// The last sequence that leaves the log; zero when none does.
    package var last: SequenceNumber { taken.last?.last ?? .zero }
    /// How many events leave the log.
    package var events: UInt64 { taken.reduce(0) { $0 + $1.count } }

    /// What is to be copied into the archive before it goes: nothing without ``archives``.
    package var archived: [Manifest.Entry] { archives ? taken + thinned : [] }

    /// What goes for good: nothing with ``archives``.
    package var dropped: [Manifest.Entry] { archives ? [] : taken }

    /// The copying of one of ``archived``, which holds its segment open: make the next one when this one has ended.
    package func archiving(_ entry: Manifest.Entry) throws(LogError) -> SegmentArchiving {
        try held.check(fileSystem)
        return try SegmentArchiving(entry, self, behind: start(of: entry))
    }

    /// Reads a segment that goes for good: every checksum, the chain, every root, and the seal that the manifest names.
    /// Blocks.
    /// - Throws: ``LogError``: `.corrupted`, `.tampered`, `.missing`, `.io`.
    package func check(_ entry: Manifest.Entry) throws(LogError) {
        let segment = try open(entry)
        defer { segment.file.close() }
        try segment.check(entry, from: start(of: entry))
    }

    /// Opens a segment of it.
    func open(_ entry: Manifest.Entry) throws(LogError) -> SegmentFile {
        try SegmentFile.open(fileSystem, home, manifest, at: place(of: entry))
    }

    /// The tree that a segment begins with; nil when nobody knows it any longer.
    func start(of entry: Manifest.Entry) throws(LogError) -> MerkleTree? {
        try manifest.tree(before: place(of: entry), fileSystem, home)
    }

    /// Opens a copy of one of its segments.
    func openCopy(_ entry: Manifest.Entry, _ path: FilePath) throws(LogError) -> SegmentFile {
        try SegmentFile.open(fileSystem, path, manifest, at: place(of: entry))
    }

    private func place(of entry: Manifest.Entry) -> Int {
        guard let place = manifest.segments.firstIndex(where: { $0.first == entry.first }) else {
            preconditionFailure("what is compacted is in the manifest")
        }
        return place
    }

    /// The bytes of segments of the log.
    package func byteCount(of entries: [Manifest.Entry]) throws(LogError) -> UInt64 {
        try disk("look at a segment") { () throws(FileError) in
            var total: UInt64 = 0
            for entry in entries { total += try fileSystem.status(of: home.segment(entry.first))?.length ?? 0 }
            return total
        }
    }
}

extension Compaction {
    /// Takes a segment out of the log, as its entry says. A file that is gone was taken before.
    static func take(_ entry: Manifest.Entry, _ fileSystem: any FileSystem, _ home: LogHome) throws(FileError) {
        let path = home.segment(entry.first)
        guard try fileSystem.status(of: path) != nil else { return }
        switch entry.state {
        case .active, .sealed: preconditionFailure("only what the manifest has taken out is removed")
        case .archived:
            // Its copy was read and checked before the manifest let it go; a log without one is what an earlier version
            // of this program left, which moved the file itself.
            if try home.archivedCopy(entry.first, fileSystem) == nil {
                return try fileSystem.rename(
                    path, to: home.archive.appending(SegmentName.name(entry.first)), replacing: true)
            }
            try fileSystem.unlink(path)
        case .dropped: try fileSystem.unlink(path)
        }
    }
}
