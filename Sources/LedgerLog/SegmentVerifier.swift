import LedgerModel
import LedgerSystem
import SystemPackage

/// Reads one segment of a log and says everything that is wrong with it.
struct SegmentVerifier: Sendable {
    /// How all segments of a verification are read.
    struct Look: Sendable {
        let fileSystem: any FileSystem
        let home: LogHome
        let depth: LogVerifier.Depth
        let archived: LogVerifier.ArchiveReach
        let progress: WorkProgress?
    }

    /// What one segment came to.
    struct Result: Sendable {
        /// What was found and counted in it; its last sequence and root are those of the log up to its end.
        var report = VerificationReport()
        /// Whether the log's end is behind damage.
        var isEndUnknown = false
        /// The vouchers whose size was met, whether they were right or not.
        var met: Set<Voucher> = []
        /// What could be compared with nothing: worth telling where nothing else is wrong.
        var unreached = VerificationReport()
        /// What the manifest says of it, when it was not read.
        var skipped: Manifest.Entry?
    }

    private let look: Look
    private let manifest: Manifest
    private let entry: Manifest.Entry
    private let isHeadUnknown: Bool
    /// The vouchers for sizes in this segment that were not met yet.
    private var vouchers: [Voucher]
    /// The tree at the end of what was read; nil when nobody knows what it begins with, or after a hole.
    private var tree: MerkleTree?
    private var result = Result()

    private init(
        _ place: Int, _ manifest: Manifest, _ look: Look, _ vouchers: [Voucher], isHeadUnknown: Bool
    ) {
        self.look = look
        self.manifest = manifest
        self.isHeadUnknown = isHeadUnknown
        entry = manifest.segments[place]
        let (first, last) = (entry.first.rawValue, entry.state == .active ? UInt64.max : entry.last.rawValue)
        self.vouchers = vouchers.filter { first <= $0.head.size && $0.head.size <= last }
        result.report.lastSequence = entry.first.previous
        result.report.root = place > 0 ? manifest.segments[place - 1].root : MerkleTree.emptyRoot
    }

    /// The segment at `place`, read unless it was taken out of the log.
    static func verify(
        _ place: Int, _ manifest: Manifest, _ look: Look, _ vouchers: [Voucher], isHeadUnknown: Bool
    ) -> Swift.Result<Result, LogError> {
        Swift.Result { () throws(LogError) in
            var verifier = SegmentVerifier(place, manifest, look, vouchers, isHeadUnknown: isHeadUnknown)
            switch verifier.entry.state {
            case .dropped: verifier.skip()
            case .archived where try !verifier.isReached: verifier.skip()
            case .archived, .sealed, .active:
                if let other = try verifier.read(place) {
                    return try verify(place, other, look, vouchers, isHeadUnknown: isHeadUnknown).get()
                }
            }
            return verifier.result
        }
    }

    /// Whether this archived segment is one of those to be read.
    private var isReached: Bool {
        get throws(LogError) {
            switch look.archived {
            case .nothing: false
            case .present: try isInArchive
            case .everything: true
            }
        }
    }

    private var isInArchive: Bool {
        get throws(LogError) {
            try disk("look into the archive") { () throws(FileError) in
                try look.home.archivedCopy(entry.first, look.fileSystem) != nil
            }
        }
    }

    /// A segment that is not read: its seal in the manifest vouches for it.
    private mutating func skip() {
        result.report.lastSequence = entry.last
        result.report.root = entry.root
        result.skipped = entry
        meet(entry.last, entry.root)
    }

    /// Compares a root with those vouched for at this size.
    /// - Parameter isProven: whether the root was computed, or the manifest vouches for it: a checkpoint, which was
    ///   kept elsewhere, is not compared with what a file merely says of itself.
    private mutating func meet(_ size: SequenceNumber, _ root: TreeHash, isProven: Bool = true) {
        for voucher in vouchers where voucher.head.size == size.rawValue && (isProven || voucher.name != .checkpoint) {
            if voucher.head.root != root { result.report.noteHistory(voucher, in: SegmentName.name(entry.first)) }
            result.met.insert(voucher)
        }
        vouchers.removeAll { result.met.contains($0) }
    }

    /// One segment, from its header to its seal or its end.
    /// - Returns: a later manifest by which it is to be judged anew: a compaction beside this has the manifest let a
    ///   segment go first, and then takes it from its place.
    private mutating func read(_ place: Int) throws(LogError) -> Manifest? {
        let known = entry.state == .active ? nil : entry
        let segment: SegmentFile
        do throws(LogError) {
            segment = try SegmentFile.open(look.fileSystem, look.home, manifest, at: place)
        } catch {
            if error.code == .missing {
                let latest = try Manifest.load(look.fileSystem, look.home).manifest
                if latest.segments.count > place, latest.segments[place].state != entry.state { return latest }
            }
            try note(error, known)
            lose(known)
            return nil
        }
        defer { segment.file.close() }
        result.report.segments += 1
        tree = start(place)
        let start = tree
        do throws(LogError) { try walk(segment, known) } catch {
            // A packed segment that can not be unpacked shows when it is read on.
            try note(error, known)
            lose(known)
        }
        if let known, known.state == .sealed, look.archived != .nothing || isCheckpointOpen {
            try readCopy(place, known, start)
        }
        noteUnreached(start)
        return nil
    }

    /// Whether a checkpoint vouches for a size in what was read that was not met.
    private var isCheckpointOpen: Bool {
        vouchers.contains { $0.name == .checkpoint && $0.head.size <= result.report.lastSequence.rawValue }
    }

    /// Takes note of a checkpoint that was compared with nothing.
    private mutating func noteUnreached(_ start: MerkleTree?) {
        guard isCheckpointOpen else { return }
        for voucher in vouchers where voucher.name == .checkpoint {
            result.unreached.noteUnreached(
                voucher, entry.first...result.report.lastSequence,
                start == nil
                    ? "what those around its end go on from was taken out of the log"
                    : "of those around its end the log has only hashes of several together",
                isForGood: start == nil)
            result.met.insert(voucher)
        }
    }

    /// The copy that a compaction made of a segment before it thinned the one in the log: it holds the records of which
    /// that one has only hashes, and so the sizes within them.
    private mutating func readCopy(_ place: Int, _ entry: Manifest.Entry, _ start: MerkleTree?) throws(LogError) {
        guard try isInArchive else { return }
        do throws(LogError) {
            let copy = try SegmentFile.open(look.fileSystem, look.home, manifest, at: place, asWritten: true)
            defer { copy.file.close() }
            try copy.check(entry, from: start, showingRootsAt: vouchedSizes(in: entry.first...entry.last)) {
                meet($0, $1)
            }
        } catch { try note(error, nil) }
    }

    /// The tree that it begins with; nil when the segment before it is damaged, gone or unreadable, and when nobody
    /// knows it any longer.
    private mutating func start(_ place: Int) -> MerkleTree? {
        guard look.depth == .whole else { return nil }
        do throws(LogError) {
            if let tree = try manifest.tree(before: place, look.fileSystem, look.home) { return tree }
            let name = SegmentName.name(entry.first)
            result.report.note(
                .unknownStart, name,
                "the roots in '\(name)' were not computed: what it goes on from was taken out of the log",
                sequences: entry.first...entry.last, isRecoverable: true,
                next: Advice.knowStart(isForGood: manifest.segments[place - 1].state == .dropped))
        } catch {
            // Told where that segment is looked at.
        }
        return nil
    }

    private mutating func walk(_ segment: SegmentFile, _ known: Manifest.Entry?) throws(LogError) {
        var cursor = SegmentCursor(segment.header, segment.file)
        let hasher = LeafHasher(manifest.identity)
        while true {
            switch try step(&cursor) {
            case .batch(let batch):
                guard verify(batch, segment, hasher) else { return lose(known) }
            case .seal(let seal): return verify(seal, segment, known)
            case .end: if try !judge(cursor, segment, nil, known) { return }
            case .fault(let fault): if try !judge(cursor, segment, fault, known) { return }
            }
        }
    }

    /// A step, taken again from the disk when it is no batch: a writer may just have been at it.
    private func step(_ cursor: inout SegmentCursor) throws(LogError) -> SegmentCursor.Step {
        try disk("read a segment") { () throws(FileError) in
            let first = try cursor.step()
            switch first {
            case .batch, .seal: return first
            case .end, .fault:
                cursor.refresh()
                return try cursor.step()
            }
        }
    }

    private mutating func verify(_ batch: StoredBatch, _ segment: SegmentFile, _ hasher: LeafHasher) -> Bool {
        look.progress?.advance(UInt64(batch.length))
        if tree != nil {
            append(batch, hasher)
            if tree?.root != batch.root {
                let error = LogError.root(segment.name, batch)
                result.report.note(
                    .tampering, segment.name, error.what, at: batch.offset, sequences: batch.first...batch.last,
                    next: Advice.compare)
                return false
            }
        }
        meet(batch.last, batch.root, isProven: tree != nil)
        result.report.batches += 1
        result.report.records += batch.count
        result.report.bytes += UInt64(batch.length)
        result.report.lastSequence = batch.last
        result.report.root = batch.root
        return true
    }

    /// Adds a batch to the tree; a root that is vouched for may be that of a size within it.
    private mutating func append(_ batch: StoredBatch, _ hasher: LeafHasher) {
        var roots: [(SequenceNumber, TreeHash)] = []
        // Most batches hold none, and are hashed in one piece.
        let sizes = vouchedSizes(in: batch.first...batch.last)
        tree?.append(batch.records, hasher, showingRootsAt: sizes) { roots.append(($0, $1)) }
        for (size, root) in roots { meet(size, root) }
    }

    /// The sizes in a stretch that something vouches for, still to be met.
    private func vouchedSizes(in sequences: ClosedRange<SequenceNumber>) -> Set<UInt64> {
        Set(vouchers.lazy.map(\.head.size).filter { sequences.contains(SequenceNumber($0)) })
    }

    private mutating func verify(_ seal: SegmentSeal, _ segment: SegmentFile, _ entry: Manifest.Entry?) {
        if let tree, tree != seal.tree {
            result.report.note(
                .tampering, segment.name, LogError.sealed(segment.name, seal).what, at: seal.offset,
                sequences: seal.first...seal.last, next: Advice.compare)
        } else if seal.tree.root != result.report.root {
            result.report.note(
                .tampering, segment.name, "the seal of '\(segment.name)' names another root than its last batch",
                at: seal.offset, sequences: seal.first...seal.last, next: Advice.compare)
        } else if let entry,
            seal.count != entry.count || seal.tree.root != entry.root || seal.digest(segment.header) != entry.seal
        {
            result.report.note(
                .tampering, segment.name, "the manifest vouches for another seal of '\(segment.name)'",
                at: seal.offset, sequences: entry.first...entry.last, next: Advice.compare)
        } else if entry != nil {
            meet(seal.last, seal.tree.root)
        }
        verifyEnd(seal, segment, isFinished: entry != nil)
    }

    /// Nothing stands after the seal of a finished segment.
    private mutating func verifyEnd(_ seal: SegmentSeal, _ segment: SegmentFile, isFinished: Bool) {
        let end = seal.offset + UInt64(seal.length)
        do throws(FileError) {
            guard isFinished, try segment.file.status().length != end else { return }
            result.report.note(
                .corruption, segment.name, "bytes stand after the seal of '\(segment.name)'", at: end,
                isRecoverable: true,
                next: Advice.restore(segment.name, isReparable: entry.state.isInLog))
        } catch {
            result.report.note(.unreadable, segment.name, error.description, next: Advice.readAgain(segment.name))
        }
    }

    /// What stands where neither a batch nor a seal does.
    /// - Returns: whether one stands there now: a writer put it there between two looks.
    private mutating func judge(
        _ cursor: SegmentCursor, _ segment: SegmentFile, _ fault: BatchFault?, _ entry: Manifest.Entry?
    ) throws(LogError) -> Bool {
        let tail = try disk("read the end of a segment") { () throws(FileError) in
            try SegmentTail.examine(
                segment.file, from: cursor.offset, salt: segment.header.salt, next: cursor.next)
        }
        if tail != .clean {
            var again = cursor
            switch try step(&again) {
            case .batch, .seal: return true
            case .end, .fault: break
            }
        }
        let isDamaged: Bool
        var later: UInt64?
        switch tail {
        case .clean: isDamaged = entry != nil
        case .torn: isDamaged = entry != nil || fault?.isWhole ?? false
        case .damaged(let at):
            isDamaged = true
            later = at
        }
        if isDamaged {
            let error = LogError.corrupted(
                segment.name, at: cursor.offset, fault, last: cursor.next.previous, laterAt: later)
            result.report.note(
                .corruption, segment.name, error.what, at: cursor.offset,
                sequences: touched(cursor.next, entry),
                next: Advice.restore(segment.name, isReparable: self.entry.state.isInLog))
            lose(entry)
            return false
        }
        switch tail {
        case .clean, .damaged: break
        case .torn(let bytes):
            let place = "at byte \(cursor.offset.grouped) of '\(segment.name)'"
            let isLost = vouchers.contains { $0.head.size > result.report.lastSequence.rawValue }
            result.report.note(
                isLost ? .corruption : .tornTail, segment.name,
                isLost
                    ? "the batch \(place) is damaged and was durable before"
                    : "a batch \(place) was cut short (\(bytes.grouped) bytes)",
                at: cursor.offset, sequences: isLost ? touched(cursor.next, nil) : nil,
                isRecoverable: !isLost && !isHeadUnknown,
                next: isLost ? Advice.restore(segment.name, isReparable: true) : tornNext)
            result.isEndUnknown = isLost
        }
        return false
    }

    /// What to do about a torn tail that no head knows of.
    private var tornNext: String {
        isHeadUnknown
            ? "the head tells whether it was ever acknowledged: " + Advice.restoreHead
            : "nothing: it was never acknowledged, and opening the ledger drops it"
    }

    /// The sequences from `first` on that damage touches: up to the segment's end, or to what the head vouches for.
    private func touched(_ first: SequenceNumber, _ entry: Manifest.Entry?) -> ClosedRange<SequenceNumber>? {
        let known = entry?.last ?? vouchers.map { SequenceNumber($0.head.size) }.max() ?? .zero
        return first <= known ? first...known : nil
    }

    /// Goes on behind a hole: the manifest vouches for what lies beyond it.
    private mutating func lose(_ entry: Manifest.Entry?) {
        tree = nil
        guard let entry else {
            result.isEndUnknown = true
            return
        }
        result.report.lastSequence = entry.last
        result.report.root = entry.root
    }

    /// Whether a repair may know what to do about the segment of a finding.
    private func isReparable(_ file: String) -> Bool {
        file == SegmentName.name(entry.first) && entry.state.isInLog
    }

    /// An error of opening or reading a segment, as a finding.
    /// - Throws: what is no news of this segment alone.
    private mutating func note(_ error: LogError, _ entry: Manifest.Entry?) throws(LogError) {
        let kind: LogFinding.Kind
        switch error.code {
        case .missing: kind = .missingSegment
        case .corrupted: kind = .corruption
        case .tampered: kind = .tampering
        case .shorter: kind = .shorterThanHead
        case .io: kind = .unreadable
        case .full, .locked, .absent, .newerFormat, .poisoned, .dropped, .occupied, .tooLarge: throw error
        }
        let name = error.file ?? SegmentName.name(self.entry.first)
        let words = error.what + (error.cause.map { ": \($0)" } ?? "")
        let next =
            switch kind {
            case .tampering: Advice.compare
            case .unreadable: Advice.readAgain(name, isReparable: isReparable(name) && entry != nil)
            default: Advice.restore(name, isReparable: isReparable(name))
            }
        result.report.note(
            kind, name, words, at: error.offset, sequences: entry.map { $0.first...$0.last }, next: next)
    }
}
