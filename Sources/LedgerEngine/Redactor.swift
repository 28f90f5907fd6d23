import LedgerAPI
import LedgerCoding
import LedgerLog
import LedgerModel
import LedgerSystem

/// Finds records and takes their content out, wherever copies of them stand, beside the ledger. Blocks.
struct Redactor: Sendable {
    /// The finished segments.
    let compaction: Compaction
    /// Counts the bytes of segments that are read; nil when nobody looks on.
    let progress: WorkProgress?

    /// What the records say.
    struct Survey: Sendable {
        /// The downloads that were redacted before.
        var redacted: Set<DownloadID> = []
        /// The downloads of which a record holds what is looked for.
        var matching: Set<DownloadID> = []
    }

    /// Reads all copies, and what is behind them.
    func survey(for match: String?) throws(LogError) -> Survey {
        let wanted = match.map { Array($0.utf8) }
        var survey = Survey()
        for copy in try expected(try compaction.copies()) {
            try compaction.read(copy, progress) { survey.take($0, wanted) }
        }
        try compaction.readUnfinished { survey.take($0, wanted) }
        return survey
    }

    private func expected(_ copies: [SegmentCopy]) throws(LogError) -> [SegmentCopy] {
        if let progress { for copy in copies { progress.expect(try compaction.plainBytes(of: copy)) } }
        return copies
    }

    /// Takes out of the log, or of the archive, all that was recorded about downloads, and counts it; only counts it in
    /// a dry run. What stands in the log is exchanged later, by ``WriteAheadLog/finish(_:snapshot:)``.
    ///
    /// The newest goes first, and the log before the archive: whoever reads meanwhile, or where it was cut short, finds
    /// a beginning of what was recorded about each download, which can be folded.
    /// - Parameter records: how many it were in each segment, wherever it stands.
    /// - Returns: the segments of the log that are to be exchanged.
    func redact(
        _ ids: Set<DownloadID>, inLog isInLog: Bool, isDryRun: Bool, _ report: inout RedactReport,
        _ records: inout [SequenceNumber: UInt64]
    ) throws(LogError) -> [Manifest.Entry] {
        var exchanged: [Manifest.Entry] = []
        let copies = try compaction.copies()
        if isInLog { report.unreached = compaction.awayCount(copies) }
        for copy in try expected(copies.filter { $0.isInLog == isInLog }).reversed() {
            let count = try compaction.count(copy, progress) { $0.isAbout(ids) }.records
            guard count > 0 else { continue }
            if !isDryRun, try compaction.thin(copy, as: .redacted, hiding: { $0.isAbout(ids) }) == 0 {
                report.unreached += 1
                continue
            }
            records[copy.entry.first] = max(records[copy.entry.first] ?? 0, count)
            if isInLog {
                exchanged.append(copy.entry)
                report.segments += 1
            } else {
                report.archived += 1
            }
        }
        return exchanged
    }

    /// Counts what a dry run would find in the segment that is not finished.
    func countUnfinished(_ ids: Set<DownloadID>, _ report: inout RedactReport) throws(LogError) {
        let before = report.records
        try compaction.readUnfinished { if $0.isAbout(ids) { report.records += 1 } }
        if report.records > before { report.segments += 1 }
    }

    /// The downloads whose state holds a text: what was recorded of them may be gone from the log long since. A name is
    /// looked at as it is shown, too.
    static func matching(_ match: String?, in downloads: some Sequence<Download>) -> Set<DownloadID> {
        guard let match else { return [] }
        let wanted = Array(match.utf8)
        return Set(
            downloads.filter { download in
                let shown = [download.order.plannedName, download.file?.value.path ?? ""]
                return shown.contains { $0.contains(match) } || StateCoding.encode(download).contains(wanted)
            }.map(\.id))
    }

    /// Leaves nothing of downloads in the snapshots; only counts in a dry run. One that can not be read is removed: it
    /// is a cache. So is one of what left the log, where a segment of that was not reached: what comes behind it could
    /// not be folded on from it.
    /// - Parameter unreached: how many segments were not reached.
    /// - Returns: how many were changed.
    func redactSnapshots(
        _ store: SnapshotStore, _ ids: Set<DownloadID>, unreached: Int, isDryRun: Bool
    ) throws(LogError) -> Int {
        var count = 0
        for sequence in try store.sequences() {
            guard let snapshot = try store.load(sequence), var state = StateSnapshot.state(of: snapshot) else {
                if !isDryRun { try store.remove(sequence) }
                continue
            }
            guard state.forget(ids) else { continue }
            count += 1
            if isDryRun { continue }
            if unreached > 0, sequence < compaction.snapshot {
                try store.remove(sequence)
                continue
            }
            try store.save(StateSnapshot.snapshot(of: state, root: snapshot.root))
        }
        return count
    }
}

extension StoredRecord {
    /// The download that it tells of; nil for what tells of none, and for the record of a redaction.
    var subject: DownloadID? {
        switch type {
        case Event.Kind.redacted.rawValue: nil
        case Event.Kind.enqueued.rawValue: DownloadID(sequence)
        default: EventDecoder.download(in: payload)
        }
    }

    /// Whether it tells of one of these downloads.
    fileprivate func isAbout(_ ids: Set<DownloadID>) -> Bool { subject.map(ids.contains) ?? false }
}

extension Redactor.Survey {
    fileprivate mutating func take(_ record: StoredRecord, _ wanted: [UInt8]?) {
        if record.type == Event.Kind.redacted.rawValue, let id = EventDecoder.download(in: record.payload) {
            redacted.insert(id)
        }
        guard let id = record.subject, let wanted, !matching.contains(id) else { return }
        if record.payload.contains(wanted) { matching.insert(id) }
    }
}
