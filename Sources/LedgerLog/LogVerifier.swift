import LedgerModel
package import LedgerSystem
package import SystemPackage

/// Reads a whole log and says everything that is wrong with it, instead of stopping at the first thing. Needs no lock
/// and changes nothing.
///
/// Each finished segment is read on its own, since the tree that it begins with stands in the seal before it: so they
/// can be read side by side.
package struct LogVerifier: Sendable {
    /// How much is recomputed.
    package enum Depth: Hashable, Sendable {
        /// Checksums, chains, sequences, seals, manifest, head, snapshots.
        case quick
        /// The root of every batch too.
        case whole
    }

    /// What of the archive is read.
    package enum ArchiveReach: Hashable, Sendable {
        /// Nothing: the seals in the manifest vouch for what was taken out of the log.
        case nothing
        /// The segments that stand in it: others may have been moved elsewhere.
        case present
        /// All segments that were archived; one that is not there is a finding.
        case everything
    }

    private let look: SegmentVerifier.Look
    private let checkpoint: TreeHead?
    private let threads: Int
    private var report = VerificationReport()
    /// Whether the log's end is behind damage: nobody can say then that it is too short.
    private var isEndUnknown = false
    /// What vouches for roots, still to be met.
    private var vouchers: [Voucher] = []
    /// What could be compared with nothing, though it was read.
    private var unreached: [LogFinding] = []
    /// What was not read because it was taken out of the log.
    private var skipped: [Manifest.Entry] = []

    /// A verification of the ledger at `home`.
    ///
    /// - Parameters:
    ///   - archived: what of the archive is read.
    ///   - archive: where archived segments stand; in the home when nil.
    ///   - checkpoint: what is compared with the log; all roots are recomputed then.
    ///   - threads: how many segments are read at once, each on a thread of low priority; 0 for none but the caller's.
    ///   - progress: is told of the bytes of segments.
    package init(
        home: FilePath, fileSystem: any FileSystem, depth: Depth = .whole,
        archived: ArchiveReach = .nothing, archive: FilePath? = nil, checkpoint: TreeHead? = nil, threads: Int = 0,
        progress: WorkProgress? = nil
    ) {
        look = SegmentVerifier.Look(
            fileSystem: fileSystem, home: LogHome(home, archive: archive),
            depth: checkpoint == nil ? depth : .whole, archived: archived, progress: progress)
        self.checkpoint = checkpoint
        self.threads = threads
    }

    /// Reads everything. Takes about a second for each GiB when quick; hashing all records adds about as much for each
    /// million; several threads share that.
    /// - Throws: ``LogError``: `.absent`, `.newerFormat`, `.io` where it is no segment that can not be read; everything
    ///   else is a finding.
    package mutating func run() throws(LogError) -> VerificationReport {
        let manifest: Manifest
        do throws(LogError) {
            let loaded = try Manifest.load(look.fileSystem, look.home)
            manifest = loaded.manifest
            for name in loaded.damaged { report.noteCopy(name, "damaged, older than its twin, or gone") }
        } catch {
            guard error.code == .corrupted else { throw error }
            report.note(.corruption, error.file ?? "", error.what, next: error.next)
            return report
        }
        let isHeadUnknown = try !noteHead(manifest)
        if let checkpoint { vouchers.append(Voucher(head: checkpoint, name: .checkpoint)) }
        try noteSnapshots(manifest)
        noteBase(manifest)
        try walk(manifest, isHeadUnknown: isHeadUnknown)
        try noteUncounted()
        finish()
        return report
    }

    /// Takes the head as a voucher; false when there is none.
    private mutating func noteHead(_ manifest: Manifest) throws(LogError) -> Bool {
        do throws(LogError) {
            let (head, damaged) = try Head.load(look.fileSystem, look.home, manifest.identity)
            vouchers.append(Voucher(head: TreeHead(size: head.size, root: head.root), name: .head))
            for name in damaged { report.noteCopy(name, "damaged or gone") }
            return true
        } catch {
            guard error.code == .missing || error.code == .corrupted else { throw error }
            let kind = error.code == .missing ? LogFinding.Kind.missingHead : .corruption
            report.note(kind, error.file ?? "", error.what, next: error.next)
            return false
        }
    }

    /// Each whole snapshot vouches for a root. One that is damaged is a cache and no more, unless it stands for records
    /// that were taken out.
    private mutating func noteSnapshots(_ manifest: Manifest) throws(LogError) {
        let store = SnapshotStore(
            home: look.home.path, fileSystem: look.fileSystem, identity: manifest.identity)
        var needed = manifest.snapshot
        var present = try store.sequences()
        // A compaction beside this has the manifest name a newer one, and then removes the one before.
        while needed > .zero, !present.contains(needed) {
            let latest = try Manifest.load(look.fileSystem, look.home).manifest.snapshot
            guard latest > needed else { break }
            (needed, present) = (latest, try store.sequences())
        }
        for sequence in present {
            if let snapshot = try store.load(sequence) {
                vouchers.append(
                    Voucher(head: TreeHead(size: sequence.rawValue, root: snapshot.root), name: .snapshot(sequence)))
            } else if try store.sequences().contains(sequence) {
                noteDamaged(sequence, isNeeded: sequence == needed)
            }
        }
        if needed > .zero, !present.contains(needed) {
            let error = LogError.missingSnapshot(needed)
            report.note(
                .missingSnapshot, error.file ?? "",
                "'\(error.file ?? "")' is not there, and stands for what was compacted away", next: error.next)
        }
    }

    private mutating func noteDamaged(_ snapshot: SequenceNumber, isNeeded: Bool) {
        let name = SequenceName.name(snapshot, "snap")
        if isNeeded {
            report.note(
                .corruption, name, "'\(name)' is damaged, and stands for what was compacted away",
                next: LogError.missingSnapshot(snapshot, isThere: true).next)
        } else {
            report.note(
                .damagedCopy, name, "'\(name)' is damaged", isRecoverable: true,
                next: "nothing: it is a cache, and the log is folded without it")
        }
    }

    /// The tree that the log goes on from is that of the last record that was taken out.
    private mutating func noteBase(_ manifest: Manifest) {
        guard let last = manifest.segments.last(where: { !$0.state.isInLog }), manifest.base.root != last.root else {
            return
        }
        report.note(
            .tampering, "manifest-a",
            "the manifest holds its checksum, and its tree is not that of what was taken out",
            sequences: last.first...last.last, next: Advice.compare)
    }

    /// All segments, and those that a writer adds meanwhile: the one that was in use is read again once it is finished.
    private mutating func walk(_ start: Manifest, isHeadUnknown: Bool) throws(LogError) {
        var manifest = start
        var place = 0
        while true {
            let active = manifest.segments.count - 1
            try expect(place...active, of: manifest)
            let results = ParallelWork.map(Array(place...active), threads: threads) { [look, manifest, vouchers] in
                SegmentVerifier.verify($0, manifest, look, vouchers, isHeadUnknown: isHeadUnknown)
            }
            for result in results.dropLast() { merge(try result.get()) }
            let latest = try Manifest.load(look.fileSystem, look.home).manifest
            guard latest.segments.count > manifest.segments.count else {
                if let last = results.last { merge(try last.get()) }
                return
            }
            (place, manifest) = (active, latest)
        }
    }

    /// Segments that hold records and that the manifest does not count: from elsewhere, or of a later manifest.
    private mutating func noteUncounted() throws(LogError) {
        for name in try look.home.uncountedSegments(look.fileSystem) {
            let error = LogError.uncounted(name)
            report.note(.corruption, name, error.what, next: error.next)
        }
    }

    /// Says how many bytes these segments have, as far as they are there.
    private func expect(_ places: ClosedRange<Int>, of manifest: Manifest) throws(LogError) {
        guard let progress = look.progress else { return }
        try disk("look at a segment") { () throws(FileError) in
            for entry in manifest.segments[places] where entry.state.isInLog {
                progress.expect(try look.fileSystem.status(of: look.home.segment(entry.first))?.length ?? 0)
            }
        }
    }

    private mutating func merge(_ segment: SegmentVerifier.Result) {
        let part = segment.report
        report.findings += part.findings
        report.segments += part.segments
        report.batches += part.batches
        report.records += part.records
        report.bytes += part.bytes
        report.lastSequence = part.lastSequence
        report.root = part.root
        isEndUnknown = isEndUnknown || segment.isEndUnknown
        vouchers.removeAll { segment.met.contains($0) }
        unreached += segment.unreached.findings
        if let entry = segment.skipped { skipped.append(entry) }
    }

    /// What was vouched for and never met lies beyond the end, in what was taken out, or within a batch that a quick
    /// look does not enter.
    private mutating func finish() {
        // What is wrong elsewhere says why.
        if report.findings.allSatisfy(\.isRecoverable) { report.findings += unreached }
        let last = report.lastSequence
        for voucher in vouchers {
            let size = SequenceNumber(voucher.head.size)
            if size == .zero {
                guard voucher.head.root != MerkleTree.emptyRoot else { continue }
                report.noteHistory(voucher, in: SegmentName.name(SequenceNumber(1)))
            } else if size > last, !isEndUnknown {
                report.note(
                    voucher.name == .checkpoint ? .shorterThanCheckpoint : .shorterThanHead,
                    SegmentName.name(last.next),
                    "the log ends at sequence \(last.rawValue.grouped) and the \(voucher.name) vouches for "
                        + "\(size.rawValue.grouped)",
                    sequences: last.next...size, next: Advice.restoreEnd(voucher.head.size))
            } else if voucher.name == .checkpoint,
                let entry = skipped.first(where: { ($0.first...$0.last).contains(size) })
            {
                let isDropped = entry.state == .dropped
                report.noteUnreached(
                    voucher, entry.first...entry.last,
                    "those around its end "
                        + (isDropped ? "were dropped by a compaction" : "were taken out of the log"),
                    isForGood: isDropped)
            }
        }
    }
}

/// Something that says what root the log has, or had, at a size.
struct Voucher: Hashable, Sendable {
    /// What it is, for a sentence.
    enum Name: Hashable, Sendable, CustomStringConvertible {
        case head
        case checkpoint
        case snapshot(SequenceNumber)

        var description: String {
            switch self {
            case .head: "head"
            case .checkpoint: "checkpoint"
            case .snapshot(let sequence): "snapshot at \(sequence.rawValue.grouped)"
            }
        }
    }

    let head: TreeHead
    let name: Name
}

extension VerificationReport {
    mutating func note(
        _ kind: LogFinding.Kind, _ file: String, _ what: String, at offset: UInt64? = nil,
        sequences: ClosedRange<SequenceNumber>? = nil, isRecoverable: Bool = false, next: String
    ) {
        findings.append(
            LogFinding(
                kind: kind, file: file, offset: offset, sequences: sequences, isRecoverable: isRecoverable,
                what: what, next: next))
    }

    /// Takes note of a checkpoint that can not vouch for anything here.
    package mutating func noteForeign(_ checkpoint: Checkpoint, identity: LedgerID, home: FilePath) {
        let own = Checkpoint(identity: identity, head: checkpoint.head)
        note(
            .tampering, "\(Voucher.Name.checkpoint)",
            "the checkpoint is of another ledger: it is of '\(checkpoint.origin)', and the one at '\(home)' is "
                + "'\(own.origin)'",
            next: "give the checkpoint of this ledger; if it is, the ledger was exchanged for another one")
    }

    mutating func noteCopy(_ name: String, _ state: String) {
        note(
            .damagedCopy, name, "'\(name)' is \(state)", isRecoverable: true,
            next: "nothing: opening the ledger writes it again from the other")
    }

    /// Takes note of a checkpoint that can be compared with nothing; `why` is said of the records that it vouches for.
    mutating func noteUnreached(
        _ voucher: Voucher, _ sequences: ClosedRange<SequenceNumber>, _ why: String, isForGood: Bool
    ) {
        note(
            .unreachedCheckpoint, SegmentName.name(sequences.lowerBound),
            "the \(voucher.name) vouches for the first \(voucher.head.size.grouped) records, and \(why)",
            sequences: sequences, next: isForGood ? Advice.compareLater : Advice.reachCheckpoint)
    }

    mutating func noteHistory(_ voucher: Voucher, in file: String) {
        note(
            .tampering, file,
            "the \(voucher.name) vouches for another history of the first \(voucher.head.size.grouped) records",
            next: Advice.compare)
    }
}
