import LedgerModel
import LedgerSystem
import SystemPackage

extension LogVerifier {
    /// One segment, from its header to its seal or its end.
    mutating func verify(_ place: Int, _ manifest: Manifest) throws(LogError) {
        let entry = manifest.segments[place]
        let known = entry.state == .active ? nil : entry
        let segment: SegmentFile
        do throws(LogError) {
            segment = try SegmentFile.open(fileSystem, home, manifest, at: place)
        } catch {
            // A compaction beside this has the manifest let a segment go first, and then takes it from its place.
            if error.code == .missing {
                let latest = try Manifest.load(fileSystem, home).manifest
                if latest.segments.count > place, latest.segments[place].state != entry.state {
                    return try visit(place, latest)
                }
            }
            try note(error, known)
            return lose(known)
        }
        defer { segment.file.close() }
        report.segments += 1
        var cursor = SegmentCursor(segment.header, segment.file)
        var hasher = LeafHasher(manifest.identity)
        if tree?.size != entry.first.rawValue - 1 { tree = nil }
        while true {
            switch try step(&cursor) {
            case .batch(let batch):
                guard verify(batch, segment, &hasher) else { return lose(known) }
            case .seal(let seal): return verify(seal, segment, known)
            case .end: return try judge(cursor, segment, nil, known)
            case .fault(let fault): return try judge(cursor, segment, fault, known)
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

    private mutating func verify(_ batch: StoredBatch, _ segment: SegmentFile, _ hasher: inout LeafHasher) -> Bool {
        switch depth {
        case .quick: tree = nil
        case .whole:
            if tree != nil {
                for record in batch.records {
                    tree?.append(hasher.leaf(record))
                    if vouched.contains(where: { $0.head.size == record.sequence.rawValue }), let root = tree?.root {
                        meet(record.sequence, root, segment.header.first)
                    }
                }
                if tree?.root != batch.root {
                    let error = LogError.root(segment.name, batch)
                    note(
                        .tampering, segment.name, error.what, at: batch.offset, sequences: batch.first...batch.last,
                        next: Advice.compare)
                    return false
                }
            }
        }
        meet(batch.last, batch.root, segment.header.first)
        report.batches += 1
        report.records += UInt64(batch.records.count)
        report.bytes += UInt64(batch.length)
        report.lastSequence = batch.last
        report.root = batch.root
        return true
    }

    private mutating func verify(_ seal: SegmentSeal, _ segment: SegmentFile, _ entry: Manifest.Entry?) {
        if let tree, tree != seal.tree {
            note(
                .tampering, segment.name, LogError.sealed(segment.name, seal).what, at: seal.offset,
                sequences: seal.first...seal.last, next: Advice.compare)
        } else if seal.tree.root != report.root {
            note(
                .tampering, segment.name, "the seal of '\(segment.name)' names another root than its last batch",
                at: seal.offset, sequences: seal.first...seal.last, next: Advice.compare)
        } else if let entry,
            seal.count != entry.count || seal.tree.root != entry.root || seal.digest(segment.header) != entry.seal
        {
            note(
                .tampering, segment.name, "the manifest vouches for another seal of '\(segment.name)'",
                at: seal.offset, sequences: entry.first...entry.last, next: Advice.compare)
        }
        tree = seal.tree
        verifyEnd(seal, segment, isFinished: entry != nil)
    }

    /// Nothing stands after the seal of a finished segment.
    private mutating func verifyEnd(_ seal: SegmentSeal, _ segment: SegmentFile, isFinished: Bool) {
        let end = seal.offset + UInt64(seal.length)
        do throws(FileError) {
            guard isFinished, try segment.file.status().length != end else { return }
            note(
                .corruption, segment.name, "bytes stand after the seal of '\(segment.name)'", at: end,
                recoverable: true, next: Advice.restore(segment.name))
        } catch {
            note(.corruption, segment.name, error.description, next: "check the disk")
        }
    }

    /// What stands where neither a batch nor a seal does.
    private mutating func judge(
        _ cursor: SegmentCursor, _ segment: SegmentFile, _ fault: BatchFault?, _ entry: Manifest.Entry?
    ) throws(LogError) {
        let tail = try disk("read the end of a segment") { () throws(FileError) in
            try SegmentTail.examine(
                segment.file, from: cursor.offset, salt: segment.header.salt, next: cursor.next)
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
            note(
                .corruption, segment.name, error.what, at: cursor.offset,
                sequences: touched(cursor.next, entry), next: Advice.restore(segment.name))
            return lose(entry)
        }
        switch tail {
        case .clean, .damaged: break
        case .torn(let bytes):
            let place = "at byte \(cursor.offset.grouped) of '\(segment.name)'"
            let isLost = vouched.contains { $0.head.size > report.lastSequence.rawValue }
            note(
                isLost ? .corruption : .tornTail, segment.name,
                isLost
                    ? "the batch \(place) is damaged and was durable before"
                    : "a batch \(place) was cut short (\(bytes.grouped) bytes)",
                at: cursor.offset, sequences: isLost ? touched(cursor.next, nil) : nil,
                recoverable: !isLost && !isHeadUnknown, next: isLost ? Advice.restore(segment.name) : tornNext)
            isEndUnknown = isLost
        }
    }

    /// What to do about a torn tail that no head knows of.
    private var tornNext: String {
        isHeadUnknown
            ? "the head tells whether it was ever acknowledged: " + Advice.restoreHead
            : "nothing: it was never acknowledged, and opening the ledger drops it"
    }

    /// The sequences from `first` on that damage touches: up to the segment's end, or to what the head vouches for.
    private func touched(_ first: SequenceNumber, _ entry: Manifest.Entry?) -> ClosedRange<SequenceNumber>? {
        let known = entry?.last ?? vouched.map { SequenceNumber($0.head.size) }.max() ?? .zero
        return first <= known ? first...known : nil
    }

    /// Goes on behind a hole: the manifest vouches for what lies beyond it.
    private mutating func lose(_ entry: Manifest.Entry?) {
        tree = nil
        guard let entry else {
            isEndUnknown = true
            return
        }
        report.lastSequence = entry.last
        report.root = entry.root
    }

    /// An error of opening a segment, as a finding; one of the disk is thrown on.
    private mutating func note(_ error: LogError, _ entry: Manifest.Entry?) throws(LogError) {
        let kind: LogFinding.Kind
        switch error.code {
        case .missing: kind = .missingSegment
        case .corrupted: kind = .corruption
        case .tampered: kind = .tampering
        case .shorter: kind = .shorterThanHead
        case .io, .full, .locked, .absent, .newerFormat, .poisoned, .dropped, .tooLarge: throw error
        }
        note(
            kind, error.file ?? "", error.what, at: error.offset, sequences: entry.map { $0.first...$0.last },
            next: kind == .tampering ? Advice.compare : Advice.restore(error.file ?? ""))
    }
}
