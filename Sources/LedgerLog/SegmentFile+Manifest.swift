import LedgerModel
import LedgerSystem
import SystemPackage

extension SegmentFile {
    /// Opens the segment at `place` of a manifest, in the archive or in the log as its entry says, and checks that it
    /// is the one that belongs there. `asWritten` takes the archive's copy where there is one: what stands in the log
    /// may have been thinned since.
    static func open(
        _ fileSystem: any FileSystem, _ home: LogHome, _ manifest: Manifest, at place: Int, _ mode: OpenMode = .read,
        asWritten: Bool = false
    ) throws(LogError) -> SegmentFile {
        let entry = manifest.segments[place]
        let path = try disk("look for a segment") { () throws(FileError) in
            let isArchived = entry.state == .archived || asWritten && entry.state == .sealed
            let copy = isArchived ? try home.archivedCopy(entry.first, fileSystem) : nil
            return copy ?? (entry.state == .archived ? home.archived(entry.first) : home.segment(entry.first))
        }
        return try open(fileSystem, path, manifest, at: place, mode)
    }

    /// Opens a file that should hold the segment at `place` of a manifest, wherever it stands.
    static func open(
        _ fileSystem: any FileSystem, _ path: FilePath, _ manifest: Manifest, at place: Int, _ mode: OpenMode = .read
    ) throws(LogError) -> SegmentFile {
        try open(
            fileSystem, path, mode, identity: manifest.identity, first: manifest.segments[place].first,
            ordinal: place + 1, previousSeal: place > 0 ? manifest.segments[place - 1].seal : nil)
    }

    /// Reads a finished segment whole: every checksum, the chain, and every root when the tree before it is known.
    /// - Returns: its seal, which is the one that the manifest's entry vouches for.
    /// - Throws: ``LogError``: `.corrupted`, `.tampered`, `.io`.
    @discardableResult
    func check(
        _ entry: Manifest.Entry, from start: MerkleTree?, showingRootsAt sizes: Set<UInt64> = [],
        _ show: (SequenceNumber, TreeHash) -> Void = { _, _ in }
    ) throws(LogError) -> SegmentSeal {
        let vouched = try seal(matching: entry)
        let hasher = LeafHasher(header.identity)
        var tree = start
        let seal = try forEachBatch { batch throws(LogError) in
            guard tree != nil else { return }
            tree?.append(batch.records, hasher, showingRootsAt: sizes, show)
            if tree?.root != batch.root { throw .root(name, batch) }
        }
        if seal != vouched || tree.map({ $0 != seal.tree }) ?? false { throw .sealed(name, seal) }
        return seal
    }

    /// Reads a finished segment to its end, every checksum and the chain.
    /// - Returns: its seal.
    /// - Throws: ``LogError``: `.corrupted`, `.io`; what `body` throws.
    @discardableResult
    func forEachBatch(_ body: (StoredBatch) throws(LogError) -> Void) throws(LogError) -> SegmentSeal {
        var cursor = SegmentCursor(header, file)
        while true {
            let fault: BatchFault?
            switch try disk("read a segment", { () throws(FileError) in try cursor.step() }) {
            case .batch(let batch):
                try body(batch)
                continue
            case .seal(let seal): return seal
            case .end: fault = nil
            case .fault(let found): fault = found
            }
            throw .corrupted(name, at: cursor.offset, fault, last: cursor.next.previous, laterAt: nil)
        }
    }
}

extension LogHome {
    /// Where the archive holds a segment: packed, or as an earlier version of this program moved it there; nil when it
    /// does not.
    func archivedCopy(_ first: SequenceNumber, _ fileSystem: any FileSystem) throws(FileError) -> FilePath? {
        for path in archivedPlaces(first) where try fileSystem.status(of: path) != nil { return path }
        return nil
    }

    /// All of them: someone may have unpacked one beside it.
    func archivedCopies(_ first: SequenceNumber, _ fileSystem: any FileSystem) throws(FileError) -> [FilePath] {
        var copies: [FilePath] = []
        for path in archivedPlaces(first) where try fileSystem.status(of: path) != nil { copies.append(path) }
        return copies
    }

    /// Where a copy may be, in the order in which they are looked for.
    private func archivedPlaces(_ first: SequenceNumber) -> [FilePath] {
        let names = [SegmentName.name(first) + ".gz", SegmentName.name(first)]
        return archives.flatMap { directory in names.map { directory.appending($0) } }
    }
}

extension Manifest {
    /// The tree that the segment at `place` begins with: the base, or the tree of the seal before it, which compactions
    /// keep. Nil when that seal was dropped with its segment, or is not in the archive any more, and no tree was kept.
    /// - Parameter kept: the trees that compactions kept, where they were read already.
    func tree(
        before place: Int, _ fileSystem: any FileSystem, _ home: LogHome, _ kept: KeptTrees? = nil
    ) throws(LogError) -> MerkleTree? {
        guard place > 0 else { return MerkleTree() }
        let entry = segments[place - 1]
        if entry.last.rawValue == base.size { return base }
        if !entry.state.isInLog {
            let trees = if let kept { kept } else { try KeptTrees.load(fileSystem, home) }
            if let tree = trees.tree(after: entry) { return tree }
        }
        let isGone = try disk("look into the archive") { () throws(FileError) in
            entry.state == .archived ? try home.archivedCopy(entry.first, fileSystem) == nil : entry.state == .dropped
        }
        if isGone { return nil }
        let previous = try SegmentFile.open(fileSystem, home, self, at: place - 1)
        defer { previous.file.close() }
        return try previous.seal(matching: entry).tree
    }
}
