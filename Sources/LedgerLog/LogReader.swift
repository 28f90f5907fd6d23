package import LedgerModel
package import LedgerSystem
package import SystemPackage

/// Reads the records of a ledger without its lock: beside a process that writes it, on a copy, on a read-only disk.
///
/// A batch that is being written is not seen, or is seen whole: then it may become durable a moment later only. The
/// head tells an end that was never written from one that is gone.
package struct LogReader: Sendable {
    /// How much is recomputed while reading. Checksums, the chain and the sequences are checked always.
    package enum Verifying: Hashable, Sendable {
        /// Nothing more: millions of records a second.
        case checksums
        /// The root of every batch too; starts at the beginning of a segment. In an archived one behind a dropped one,
        /// whose tree is gone, the seal's own root and the manifest's are all there is to compare.
        case roots
    }

    /// Which manifest it goes by: each change of what is in the log makes a later one.
    package var generation: UInt64 { manifest.generation }
    /// Which ledger this is.
    package var identity: LedgerID { manifest.identity }
    /// The sequence before the first record that can be read; zero when none was taken out.
    package private(set) var baseSequence: SequenceNumber
    /// The sequence that the snapshot which stands for what was taken out is of; zero when nothing was.
    package var baseSnapshot: SequenceNumber { manifest.snapshot }
    /// The last sequence that ``next()`` has gone past; where reading began, at first.
    package private(set) var position: SequenceNumber
    /// The last sequence that was met in the files: once ``next()`` has returned nil, the end of what is durable.
    package var end: SequenceNumber { upcoming.previous }
    /// The root at ``end``, as the batch that ends there names it.
    package private(set) var root: TreeHash
    /// The bytes behind ``end`` of a batch that was cut short, or is just being written; known once ``next()`` has
    /// returned nil.
    package private(set) var tailBytes: UInt64 = 0
    /// The snapshots of this ledger.
    package var snapshots: SnapshotStore {
        SnapshotStore(home: home.path, fileSystem: fileSystem, identity: identity)
    }

    let fileSystem: any FileSystem
    let home: LogHome
    let verifying: Verifying
    let includesArchive: Bool
    /// The records that can be read one after the other, in ascending order: the last stretch goes on for ever, and
    /// those before it are in the archive, each followed by records that were dropped or are away.
    package let stretches: [ClosedRange<SequenceNumber>]
    /// Whether there is an archive alone, and no log that goes on from it.
    private let isArchive: Bool
    private(set) var manifest: Manifest
    private var head: Head
    private var current: Current?
    /// The sequence of the next record to be read from the files.
    private var upcoming: SequenceNumber
    private let hasher: LeafHasher
    /// What a snapshot vouches for, until the place is passed where the log tells.
    private var vouched: TreeHead?
    private var examinedAt: UInt64?
    private var tailFault: BatchFault?
    /// Whether it was looked for segments that the manifest does not count.
    private var isCounted = false

    /// An open segment and the walk through it.
    private struct Current: Sendable {
        var segment: SegmentFile
        var cursor: SegmentCursor
        var entry: Manifest.Entry
        var tree: MerkleTree?

        /// What stands at the cursor, read from the file again; the cursor stays.
        mutating func look() throws(LogError) -> SegmentCursor.Step {
            cursor.refresh()
            return try disk("read a segment") { [cursor] () throws(FileError) in
                var probe = cursor
                return try probe.step()
            }
        }

        /// Compares what a batch says with the head, and with its records where a tree of them is kept.
        mutating func verify(_ batch: StoredBatch, _ head: Head, _ hasher: LeafHasher) throws(LogError) {
            if head.size == batch.last.rawValue, head.root != batch.root { throw .history(segment.name, head) }
            guard tree != nil else { return }
            tree?.append(batch.records, hasher)
            guard tree?.root == batch.root else { throw .root(segment.name, batch) }
        }
    }

    /// Opens a ledger for reading the records after `after`. Reads the manifest and the head, and looks whether each
    /// segment is there.
    ///
    /// Records that compaction took out are not there: reading then begins after ``baseSequence``; `includingArchive`
    /// reads as far back as there are copies in the archive, and what was thinned in the log as it was written. The
    /// archive is the home's, or stands at `archive`. An archive alone, given as `home`, is read like a log that ends
    /// with it: its segments vouch for each other.
    /// - Parameter last: the last record that is asked for; nil for the end. What comes before records that were
    ///   dropped for good can only be read up to there.
    /// - Parameter root: what the snapshot of `after` vouches for: ``next()`` throws when the log has another root
    ///   there, as far as a batch ends there.
    /// - Throws: ``LogError``: `.absent`, `.corrupted`, `.missing`, `.newerFormat`, `.io`.
    package init(
        home: FilePath, archive: FilePath? = nil, fileSystem: any FileSystem, after: SequenceNumber = .zero,
        vouchedRoot root: TreeHash? = nil, through last: SequenceNumber? = nil, verifying: Verifying = .checksums,
        includingArchive: Bool = false
    ) throws(LogError) {
        vouched = root.map { TreeHead(size: after.rawValue, root: $0) }
        self.fileSystem = fileSystem
        self.verifying = verifying
        (self.home, manifest, isArchive) = try Self.look(home, archive, fileSystem)
        includesArchive = includingArchive || isArchive
        let segments = manifest.segments
        stretches = try manifest.stretches(self.home, fileSystem, includingArchive: includesArchive)
        let wanted = stretches.last { stretch in last.map(stretch.contains) ?? false }
        let stretch = wanted ?? stretches[stretches.count - 1]
        baseSequence = stretch.lowerBound.previous
        let start = max(after, baseSequence)
        position = start
        let entry = segments.last { $0.first <= start.next } ?? segments[0]
        upcoming = entry.first
        self.root = manifest.segments.last { $0.first < entry.first }?.root ?? MerkleTree.emptyRoot
        hasher = LeafHasher(manifest.identity)
        head =
            try isArchive
            ? Head(generation: 0, size: 0, root: MerkleTree.emptyRoot)
            : Head.load(fileSystem, self.home, manifest.identity).head
    }

    /// The files of the archive that are not at hand and hold any of these records, in ascending order.
    package func missing(of records: ClosedRange<SequenceNumber>) -> [String] {
        guard includesArchive else { return [] }
        let away = manifest.away(from: stretches).filter { $0.overlaps(records) }
        return away.map { SegmentName.name($0.lowerBound) + ".gz" }
    }

    /// Compares the root where reading begins with what the snapshot of there vouches for, as ``next()`` does, and
    /// reads nothing behind it.
    /// - Throws: as ``next()``.
    package mutating func checkSnapshot() throws(LogError) {
        _ = try read(stopsAtSnapshot: true)
        try requireSnapshot()
    }

    /// The next batch with records after the place reading began at; nil at the end of what is durable. May be called
    /// again later, when a writer may have added more.
    /// - Throws: ``LogError``: `.corrupted`, `.tampered`, `.shorter`, `.missing`, `.io`, and `.dropped` when compaction
    ///   took out what would come next; the reader stays where it is. `.corrupted` also at the first end, when the log
    ///   holds a segment that the manifest does not count.
    package mutating func next() throws(LogError) -> StoredBatch? {
        if let batch = try read() { return batch }
        // An archive ends with its last segment; nothing tells whether there should be more.
        if isArchive { return nil }
        // A head is written after what it vouches for: all that it names now is there for a second look.
        head = try Head.load(fileSystem, home, manifest.identity).head
        guard head.size > end.rawValue else { return try requireCounted() }
        if let batch = try read() { return batch }
        guard head.size > end.rawValue else { return try requireCounted() }
        let (name, offset) = place
        if tailBytes == 0 { throw .shorter(name, at: offset, last: end, than: head.size) }
        throw .corrupted(name, at: offset, tailFault, last: end, laterAt: nil, head)
    }
}

extension LogReader {
    /// Where reading stands, for an error.
    private var place: (name: String, offset: UInt64) {
        (current?.segment.name ?? SegmentName.name(upcoming), current?.cursor.offset ?? 0)
    }

    /// At the end, sees that what the snapshot vouches for was met: it was made of what was durable.
    private func requireSnapshot() throws(LogError) {
        guard let vouched, !isArchive else { return }
        throw .shorter(place.name, at: place.offset, last: end, than: vouched.size)
    }

    /// At the first end, looks whether what was read is all that there is: a manifest and a head that were put back
    /// from an older copy know nothing of what came later.
    private mutating func requireCounted() throws(LogError) -> StoredBatch? {
        try requireSnapshot()
        guard !isCounted else { return nil }
        if let name = try home.uncountedSegments(fileSystem).first { throw .uncounted(name) }
        isCounted = true
        return nil
    }

    /// The next batch with records after the place reading began at; nil where neither a batch nor a seal stands.
    private mutating func read(stopsAtSnapshot: Bool = false) throws(LogError) -> StoredBatch? {
        // Of their own: a look at them through `self` would be one at all of it, also at what is changed meanwhile.
        let (head, hasher) = (head, hasher)
        while true {
            if vouched != nil { try meetSnapshot() }
            if stopsAtSnapshot, vouched == nil { return nil }
            if current == nil { current = try open() }
            // Where it stands: a copy of it for each batch counts a dozen references.
            let step = try disk("read a segment") { () throws(FileError) in try current?.cursor.step() }
            guard let step else { return nil }
            switch step {
            case .batch(let batch):
                try current?.verify(batch, head, hasher)
                (upcoming, root, tailBytes) = (batch.last.next, batch.root, 0)
                if let fresh = batch.after(position) {
                    position = batch.last
                    return fresh
                }
            case .seal(let seal):
                guard let ended = current else { return nil }
                if let tree = ended.tree, tree != seal.tree { throw .sealed(ended.segment.name, seal) }
                (upcoming, root, tailBytes) = (seal.last.next, seal.tree.root, 0)
                guard let following = try open() else { return nil }
                ended.segment.file.close()
                current = following
            case .end, .fault:
                guard try continues() else { return nil }
            }
        }
    }

    /// Compares the root here with what the snapshot that is folded on from vouches for, where that is of this place.
    private mutating func meetSnapshot() throws(LogError) {
        guard let snapshot = vouched, end.rawValue >= snapshot.size else { return }
        vouched = nil
        if end.rawValue == snapshot.size, root != snapshot.root { throw .foreignSnapshot(end) }
    }

    /// Whether there is more after an end or a fault: false at the end of what is durable.
    private mutating func continues() throws(LogError) -> Bool {
        guard var walk = current else { return false }
        defer { current = walk }
        var found = try walk.look()
        if found.isMore { return true }
        // Recovery gives a file its name before the manifest calls it finished: asked in this order, a finished segment
        // is never looked for in the file before it.
        let isFinished = try latestEntry(walk.entry.first)?.state != .active
        if try reopen(&walk) {
            examinedAt = nil
            found = try walk.look()
            if found.isMore { return true }
        }
        let offset = walk.cursor.offset
        if !isFinished, examinedAt == offset { return false }
        let tail = try disk("read the end of a segment") { () throws(FileError) in
            try SegmentTail.examine(
                walk.segment.file, from: offset, salt: walk.segment.header.salt, next: walk.cursor.next)
        }
        let later: UInt64? = if case .damaged(let at) = tail { at } else { nil }
        let isTorn = later == nil && !(found.fault?.isWhole ?? false)
        if !isFinished, isTorn {
            examinedAt = offset
            tailFault = found.fault
            if case .torn(let bytes) = tail { tailBytes = bytes } else { tailBytes = 0 }
            return false
        }
        let last = try walk.look()
        if last.isMore { return true }
        if let following = try past(walk.entry) {
            walk.segment.file.close()
            walk = following
            return true
        }
        throw .corrupted(
            walk.segment.name, at: offset, last.fault, last: walk.cursor.next.previous, laterAt: later)
    }

    /// What comes after the end of a segment that recovery finished in a file of its own and a compaction took out,
    /// both since it was opened; nil while it is in the log.
    private mutating func past(_ entry: Manifest.Entry) throws(LogError) -> Current? {
        guard entry.state.isInLog, !isArchive else { return nil }
        manifest = try Manifest.load(fileSystem, home).manifest
        guard let now = manifest.segments.first(where: { $0.first == entry.first }), !now.state.isInLog else {
            return nil
        }
        return upcoming == now.last.next ? try open() : try open(now)
    }

    /// Goes on from the same place in the file that has the segment's name now; false when that is the one held.
    /// Opening after a crash may put another there, and nothing more is written to the one before it.
    private func reopen(_ walk: inout Current) throws(LogError) -> Bool {
        let held = walk.segment.file
        let isHeld = try disk("look for a segment") { () throws(FileError) in
            guard let named = try fileSystem.status(of: held.path) else { return true }
            let own = try held.status()
            return named.inode == own.inode && named.device == own.device
        }
        guard !isHeld, let place = manifest.segments.firstIndex(where: { $0.first == walk.entry.first }) else {
            return false
        }
        walk.segment = try SegmentFile.open(fileSystem, held.path, manifest, at: place)
        held.close()
        if walk.cursor.next == walk.entry.first {
            // Without a batch, all of it was made anew, with a salt of its own.
            walk.cursor = SegmentCursor(walk.segment.header, walk.segment.file)
        } else {
            walk.cursor.read(walk.segment.file)
        }
        return true
    }

    /// The segment that holds ``upcoming``; nil when a writer has not made it yet.
    private mutating func open() throws(LogError) -> Current? {
        while true {
            guard let entry = try latestEntry(upcoming) else { return nil }
            do throws(LogError) { return try open(entry) } catch {
                // A compaction beside this took it, or the one whose tree it begins with, from where the manifest had
                // it.
                guard error.code == .missing, !isArchive, let later = try manifest.later(fileSystem, home) else {
                    throw error
                }
                manifest = later
            }
        }
    }

    private func open(_ entry: Manifest.Entry) throws(LogError) -> Current {
        guard let place = manifest.segments.firstIndex(where: { $0.first == entry.first }) else {
            preconditionFailure("an entry is of the manifest")
        }
        if !entry.state.isInLog, !(includesArchive && entry.state == .archived) {
            throw LogError(
                .dropped, "sequences \(entry.first) to \(entry.last) were taken out of the log by a compaction",
                next: Advice.begin(after: manifest.base.size))
        }
        let segment = try SegmentFile.open(fileSystem, home, manifest, at: place, asWritten: includesArchive)
        var cursor = SegmentCursor(segment.header, segment.file)
        switch verifying {
        case .roots:
            let tree = try manifest.tree(before: place, fileSystem, home)
            return Current(segment: segment, cursor: cursor, entry: entry, tree: tree)
        case .checksums:
            // What a snapshot is compared with is the batch before.
            let wanted = vouched == nil ? position.next : position
            if entry.state != .active, wanted > entry.first {
                let seal = try segment.seal(matching: entry)
                if let near = seal.index.last(where: { $0.sequence <= wanted }) {
                    try disk("read a segment") { () throws(FileError) in try cursor.jump(to: near) }
                }
            }
            return Current(segment: segment, cursor: cursor, entry: entry, tree: nil)
        }
    }

    /// The manifest's entry for the segment that begins with `first`, the manifest read again when it was active.
    private mutating func latestEntry(_ first: SequenceNumber) throws(LogError) -> Manifest.Entry? {
        if let entry = manifest.segments.first(where: { $0.first == first }), entry.state != .active { return entry }
        if isArchive { return nil }
        manifest = try Manifest.load(fileSystem, home).manifest
        return manifest.segments.first { $0.first == first }
    }

    /// Whether there is a ledger, or an archive alone, and what counts in it.
    private static func look(
        _ home: FilePath, _ archive: FilePath?, _ fileSystem: any FileSystem
    ) throws(LogError) -> (LogHome, Manifest, isArchive: Bool) {
        let own = LogHome(home, archive: archive)
        do throws(LogError) {
            return (own, try wholeManifest(own, fileSystem), false)
        } catch {
            guard error.code == .absent, let found = try Manifest.ofArchive(home, fileSystem) else { throw error }
            return (LogHome(home, archive: home), found, true)
        }
    }

    /// The manifest, with every finished segment that it counts in its place. A compaction beside this has the
    /// manifest let a segment go first, and then takes it from there.
    static func wholeManifest(_ home: LogHome, _ fileSystem: any FileSystem) throws(LogError) -> Manifest {
        var manifest = try Manifest.load(fileSystem, home).manifest
        while true {
            do throws(LogError) {
                _ = try manifest.sealedBytes(fileSystem, home)
                return manifest
            } catch {
                guard error.code == .missing, let later = try manifest.later(fileSystem, home) else { throw error }
                manifest = later
            }
        }
    }
}

extension SegmentCursor.Step {
    /// Whether it is a batch, or a seal behind which the next segment is.
    fileprivate var isMore: Bool {
        switch self {
        case .batch, .seal: true
        case .end, .fault: false
        }
    }

    /// What is wrong with the bytes there; nil when nothing is.
    fileprivate var fault: BatchFault? {
        if case .fault(let fault) = self { fault } else { nil }
    }
}

extension LogError {
    /// A seal that holds its checksum and vouches for other records than those before it.
    static func sealed(_ name: String, _ seal: SegmentSeal) -> LogError {
        LogError(
            .tampered, "the seal of '\(name)' is whole and vouches for other records", file: name,
            offset: seal.offset, next: Advice.verify)
    }
}
