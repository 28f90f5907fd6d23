package import LedgerModel
package import LedgerSystem
package import SystemPackage

/// That a record is in the log, in a form that can be checked without the log.
package struct InclusionProof: Hashable, Sendable {
    /// Which ledger it is of.
    package let identity: LedgerID
    /// The record, from which its leaf follows.
    package let record: StoredRecord
    /// The record's leaf.
    package let leaf: TreeHash
    /// The size of the tree, and its root.
    package let head: TreeHead
    /// The hashes of the siblings from the leaf up.
    package let path: [TreeHash]

    /// The place of the leaf, 0-based.
    package var index: UInt64 { record.sequence.rawValue - 1 }
    /// Whether the record's content was taken out: then its leaf is all there is to check.
    package var isHidden: Bool { record.hidden != nil }
}

/// That the log at one size is the beginning of the log at a larger one.
package struct ConsistencyProof: Hashable, Sendable {
    /// Which ledger it is of.
    package let identity: LedgerID
    /// The smaller size, and the root then.
    package let old: TreeHead
    /// The larger size, and the root then.
    package let new: TreeHead
    /// The hashes that section 2.1.2 of RFC 6962 names.
    package let path: [TreeHash]
}

/// Proves what is in a log, and that it only ever grew. Reads the log without its lock and changes nothing.
///
/// Hashes come from the records of the segments that hold them, whose roots are computed anew on the way, and from the
/// trees that seals and the manifest keep. What compaction took out is a perfect subtree of the tree over the rest, or
/// several: so records that are still there can always be proved.
package struct LogProver: Sendable {
    private let fileSystem: any FileSystem
    private let home: LogHome
    private var manifest: Manifest

    /// Which ledger this is.
    package var identity: LedgerID { manifest.identity }

    /// A look at the ledger in `home`, whose archive may stand elsewhere.
    /// - Throws: ``LogError``: `.absent`, `.corrupted`, `.newerFormat`, `.io`.
    package init(home: FilePath, archive: FilePath? = nil, fileSystem: any FileSystem) throws(LogError) {
        self.fileSystem = fileSystem
        self.home = LogHome(home, archive: archive)
        manifest = try Manifest.load(fileSystem, self.home).manifest
    }

    /// The size and the root of what is durable. Reads the last segment, and makes durable what is in it: what another
    /// process has just written may not be yet, and a size once handed out must never be gone.
    /// - Throws: ``LogError``: as ``LogReader/next()`` does.
    package mutating func head() throws(LogError) -> TreeHead {
        try unlessCompacted { prover throws(LogError) in try prover.readHead() }
    }

    private mutating func readHead() throws(LogError) -> TreeHead {
        var reader = try LogReader(
            home: home.path, fileSystem: fileSystem, after: SequenceNumber(.max).previous, verifying: .roots)
        while try reader.next() != nil {}
        manifest = try Manifest.load(fileSystem, home).manifest
        if let last = manifest.segments.last, reader.end >= last.first {
            let path = home.segment(last.first)
            try disk("make the end of the log durable", counted: path) { () throws(FileError) in try synchronize(path) }
        }
        return TreeHead(size: reader.end.rawValue, root: reader.root)
    }

    /// Syncs a file that is open for reading. A disk that can not be written to holds what it holds.
    private func synchronize(_ path: FilePath) throws(FileError) {
        let file = try fileSystem.open(path, .read)
        defer { file.close() }
        do throws(FileError) { try file.synchronize() } catch {
            guard error.errno == .readOnlyFileSystem else { throw error }
        }
    }

    /// The proof that a record is in the tree of the first `size` records: at least as many as its sequence.
    /// - Throws: ``LogError``: `.dropped` or `.missing` when what it takes was compacted away, `.tampered`,
    ///   `.corrupted`, `.io`.
    package mutating func inclusion(of sequence: SequenceNumber, in size: UInt64) throws(LogError) -> InclusionProof {
        let siblings = MerkleProof.inclusion(of: sequence.rawValue - 1, in: size)
        let gathered = try gather(siblings + [0..<size], record: sequence)
        guard let record = gathered.record else { throw .gone(sequence...sequence, manifest) }
        let hasher = LeafHasher(identity)
        let leaf = record.hidden?.root ?? hasher.leaf(record)
        let path = try hashes(of: siblings, gathered.trees)
        let root = try hash(of: 0..<size, gathered.trees)
        guard MerkleProof.root(holding: leaf, at: sequence.rawValue - 1, in: size, by: path) == root else {
            throw .unproved
        }
        return InclusionProof(
            identity: identity, record: record, leaf: leaf, head: TreeHead(size: size, root: root), path: path)
    }

    /// The root of the tree of the first `size` records, at least 1.
    /// - Throws: ``LogError``: as ``inclusion(of:in:)``; `.dropped` also when there are fewer.
    package mutating func root(at size: UInt64) throws(LogError) -> TreeHash {
        try hash(of: 0..<size, try gather([0..<size], record: nil).trees)
    }

    /// The proof that the tree of the first `to` records begins with the tree of the first `from`, both at least 1.
    /// - Throws: ``LogError``: as ``inclusion(of:in:)``.
    package mutating func consistency(from: UInt64, to: UInt64) throws(LogError) -> ConsistencyProof {
        let parts = MerkleProof.consistency(from: from, to: to)
        let trees = try gather(parts + [0..<from, 0..<to], record: nil).trees
        let proof = ConsistencyProof(
            identity: identity, old: TreeHead(size: from, root: try hash(of: 0..<from, trees)),
            new: TreeHead(size: to, root: try hash(of: 0..<to, trees)), path: try hashes(of: parts, trees))
        guard MerkleProof.isConsistent(proof.old, proof.new, by: proof.path) else { throw .unproved }
        return proof
    }

    private func hashes(of stretches: [Range<UInt64>], _ trees: TreeGatherer) throws(LogError) -> [TreeHash] {
        var hashes: [TreeHash] = []
        for stretch in stretches { hashes.append(try hash(of: stretch, trees)) }
        return hashes
    }

    private func hash(of stretch: Range<UInt64>, _ trees: TreeGatherer) throws(LogError) -> TreeHash {
        guard let hash = trees.hash(of: stretch) else {
            throw .gone(SequenceNumber(stretch.lowerBound + 1)...SequenceNumber(stretch.upperBound), manifest)
        }
        return hash
    }
}

extension LogProver {
    /// What reading the segments gave.
    private struct Gathered {
        var trees: TreeGatherer
        var record: StoredRecord?
    }

    /// Reads the segments in which a subtree of these stretches ends, and that of `record`.
    private mutating func gather(
        _ stretches: [Range<UInt64>], record sequence: SequenceNumber?
    ) throws(LogError) -> Gathered {
        try unlessCompacted { prover throws(LogError) in
            try prover.read(Gathered(trees: TreeGatherer(stretches)), sequence)
        }
    }

    /// Does something with the segments of the manifest, and again with a later manifest when a compaction beside this
    /// took some away while they were looked for.
    private mutating func unlessCompacted<Answer>(
        _ body: (inout LogProver) throws(LogError) -> Answer
    ) throws(LogError) -> Answer {
        var attempts = LogBounds.copyReadsMax
        while true {
            let before = manifest
            do throws(LogError) { return try body(&self) } catch {
                attempts -= 1
                guard error.code == .missing || error.code == .dropped, attempts > 0,
                    let later = try before.later(fileSystem, home)
                else { throw error }
                manifest = later
            }
        }
    }

    private func read(_ start: Gathered, _ sequence: SequenceNumber?) throws(LogError) -> Gathered {
        var gathered = start
        gathered.trees.start(at: manifest.base)
        for (place, entry) in manifest.segments.enumerated() where entry.state != .dropped {
            let last = entry.state == .active ? UInt64.max : entry.last.rawValue
            let isOfRecord = sequence.map { entry.first <= $0 && $0.rawValue <= last } ?? false
            guard isOfRecord || gathered.trees.needs(entry.first.rawValue...last) else { continue }
            guard let tree = try manifest.tree(before: place, fileSystem, home) else { continue }
            gathered.trees.start(at: tree)
            try read(entry, through: last, sequence, &gathered)
        }
        return gathered
    }

    /// Reads one segment whole, and compares every root in it.
    private func read(
        _ entry: Manifest.Entry, through last: UInt64, _ sequence: SequenceNumber?, _ gathered: inout Gathered
    ) throws(LogError) {
        var reader = try LogReader(
            home: home.path, archive: home.archive, fileSystem: fileSystem, after: entry.first.previous,
            through: SequenceNumber(last), includingArchive: true)
        let hasher = LeafHasher(identity)
        while reader.position.rawValue < last, let batch = try reader.next() {
            for record in batch.records {
                gathered.trees.append(
                    record.hidden?.root ?? hasher.leaf(record), height: record.hidden?.height ?? 0)
                if record.sequence == sequence, record.last == sequence { gathered.record = record }
            }
            guard gathered.trees.tree.root == batch.root else { throw .root(SegmentName.name(entry.first), batch) }
        }
    }
}

extension LogError {
    /// What was compacted away, and is needed.
    fileprivate static func gone(_ sequences: ClosedRange<SequenceNumber>, _ manifest: Manifest) -> LogError {
        LogError(
            .dropped,
            "the proof needs records \(sequences.lowerBound.rawValue.grouped) to "
                + "\(sequences.upperBound.rawValue.grouped), and those were compacted away",
            detail: manifest.base.size == 0
                ? "their content was thinned" : "the log begins after sequence \(manifest.base.size.grouped)",
            next: "say where the archive is ('--archive DIR'), or ask for other sequences and sizes")
    }

    /// Roots that all hold, and do not follow from each other: only a forged manifest makes them so.
    fileprivate static let unproved = LogError(
        .tampered, "the hashes that the log keeps do not prove its own root", next: Advice.verify)
}
