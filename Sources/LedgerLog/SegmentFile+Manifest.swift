import LedgerModel
import LedgerSystem
import SystemPackage

extension SegmentFile {
    /// Opens the segment at `place` of a manifest, in the archive or in the log as its entry says, and checks that it
    /// is the one that belongs there.
    static func open(
        _ fileSystem: any FileSystem, _ home: LogHome, _ manifest: Manifest, at place: Int, _ mode: OpenMode = .read
    ) throws(LogError) -> SegmentFile {
        let entry = manifest.segments[place]
        let directory = entry.state == .archived ? home.archive : home.log
        return try open(
            fileSystem, directory.appending(SegmentName.name(entry.first)), mode, identity: manifest.identity,
            first: entry.first, ordinal: place + 1, previousSeal: place > 0 ? manifest.segments[place - 1].seal : nil)
    }
}

extension Manifest {
    /// The tree that the segment at `place` begins with: the base, or the tree of the seal before it. Nil when that
    /// seal was dropped with its segment.
    func tree(
        before place: Int, _ fileSystem: any FileSystem, _ home: LogHome
    ) throws(LogError) -> MerkleTree? {
        guard place > 0 else { return MerkleTree() }
        let entry = segments[place - 1]
        if entry.last.rawValue == base.size { return base }
        if entry.state == .dropped { return nil }
        let previous = try SegmentFile.open(fileSystem, home, self, at: place - 1)
        defer { previous.file.close() }
        return try previous.seal(matching: entry).tree
    }
}
