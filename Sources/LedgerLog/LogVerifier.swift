import LedgerModel
package import LedgerSystem
package import SystemPackage

/// Reads a whole log and says everything that is wrong with it, instead of stopping at the first thing. Needs no lock
/// and changes nothing.
package struct LogVerifier: Sendable {
    /// How much is recomputed.
    package enum Depth: Hashable, Sendable {
        /// Checksums, chains, sequences, seals, manifest, head.
        case quick
        /// The root of every batch too.
        case whole
    }

    let fileSystem: any FileSystem
    let home: LogHome
    let depth: Depth
    let includesArchive: Bool
    let checkpoint: TreeHead?
    var report = VerificationReport()
    /// The tree at the end of what was read; nil after a hole, until a seal tells it.
    var tree: MerkleTree?
    /// Whether the log's end is behind damage: nobody can say then that it is too short.
    var isEndUnknown = false
    /// Whether there is no head: nobody can say then whether an end was never acknowledged.
    var isHeadUnknown = false
    /// The roots that the head and the checkpoint vouch for, still to be met.
    var vouched: [(head: TreeHead, by: String)] = []

    /// A verification of the ledger at `home`; `checkpoint` is compared with it.
    package init(
        home: FilePath, fileSystem: any FileSystem, depth: Depth = .whole, includingArchive: Bool = false,
        checkpoint: TreeHead? = nil
    ) {
        self.fileSystem = fileSystem
        self.home = LogHome(home)
        self.depth = depth
        includesArchive = includingArchive
        self.checkpoint = checkpoint
    }

    /// Reads everything. Takes about a second for each GiB when quick; hashing all records adds about as much for each
    /// million.
    /// - Throws: ``LogError``: `.absent`, `.newerFormat`, `.io`; everything else is a finding.
    package mutating func run() throws(LogError) -> VerificationReport {
        let manifest: Manifest
        do throws(LogError) {
            let loaded = try Manifest.load(fileSystem, home)
            manifest = loaded.manifest
            for name in loaded.damaged { noteCopy(name, "damaged, older than its twin, or gone") }
        } catch {
            guard error.code == .corrupted else { throw error }
            note(.corruption, error.file ?? "", error.what, next: error.next)
            return report
        }
        try noteHead(manifest)
        if let checkpoint { vouched.append((checkpoint, "checkpoint")) }
        try walk(manifest)
        finish()
        return report
    }

    private mutating func noteHead(_ manifest: Manifest) throws(LogError) {
        do throws(LogError) {
            let (head, damaged) = try Head.load(fileSystem, home, manifest.identity)
            vouched.append((TreeHead(size: head.size, root: head.root), "head"))
            for name in damaged { noteCopy(name, "damaged or gone") }
        } catch {
            guard error.code == .missing || error.code == .corrupted else { throw error }
            isHeadUnknown = true
            note(error.code == .missing ? .missingHead : .corruption, error.file ?? "", error.what, next: error.next)
        }
    }

    private mutating func noteCopy(_ name: String, _ state: String) {
        note(
            .damagedCopy, name, "'\(name)' is \(state)", recoverable: true,
            next: "nothing: opening the ledger writes it again from the other")
    }

    /// All segments, and those that a writer adds meanwhile.
    private mutating func walk(_ start: Manifest) throws(LogError) {
        var manifest = start
        tree = MerkleTree()
        var place = 0
        while place < manifest.segments.count {
            try visit(place, manifest)
            place += 1
            guard place == manifest.segments.count else { continue }
            let latest = try Manifest.load(fileSystem, home).manifest
            if latest.segments.count > place, latest.segments[place - 1].state != .active { manifest = latest }
        }
    }

    /// One segment, read unless it was taken out of the log.
    mutating func visit(_ place: Int, _ manifest: Manifest) throws(LogError) {
        let entry = manifest.segments[place]
        switch entry.state {
        case .dropped: skip(entry, manifest)
        case .archived where !includesArchive: skip(entry, manifest)
        case .archived, .sealed, .active: try verify(place, manifest)
        }
    }

    /// A segment that is not read: its seal in the manifest vouches for it.
    private mutating func skip(_ entry: Manifest.Entry, _ manifest: Manifest) {
        report.lastSequence = entry.last
        report.root = entry.root
        tree = entry.last.rawValue == manifest.base.size ? manifest.base : nil
        meet(entry.last, entry.root, entry.first)
    }

    /// What was vouched for and never met lies beyond the end, or within a batch that a quick look does not enter.
    private mutating func finish() {
        for (head, name) in vouched where head.size > report.lastSequence.rawValue && !isEndUnknown {
            let last = report.lastSequence.rawValue
            note(
                name == "head" ? .shorterThanHead : .shorterThanCheckpoint,
                SegmentName.name(report.lastSequence.next),
                "the log ends at sequence \(last.grouped) and the \(name) vouches for \(head.size.grouped)",
                sequences: report.lastSequence.next...SequenceNumber(head.size),
                next: Advice.restoreEnd(head.size))
        }
        vouched = []
    }

    /// Compares a root with those vouched for at this size.
    mutating func meet(_ size: SequenceNumber, _ root: TreeHash, _ first: SequenceNumber) {
        for (head, name) in vouched where head.size == size.rawValue && head.root != root {
            note(
                .tampering, SegmentName.name(first),
                "the \(name) vouches for another history of the first \(head.size.grouped) records",
                next: Advice.compare)
        }
        vouched.removeAll { $0.head.size == size.rawValue }
    }

    mutating func note(
        _ kind: LogFinding.Kind, _ file: String, _ what: String, at offset: UInt64? = nil,
        sequences: ClosedRange<SequenceNumber>? = nil, recoverable: Bool = false, next: String
    ) {
        report.findings.append(
            LogFinding(
                kind: kind, file: file, offset: offset, sequences: sequences, isRecoverable: recoverable, what: what,
                next: next))
    }
}
