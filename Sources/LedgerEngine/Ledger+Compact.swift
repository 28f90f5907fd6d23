package import LedgerAPI
import LedgerLog
import LedgerModel

extension Ledger {
    /// Makes the log smaller: a snapshot of the live state stands for the events before it, whose segments go to the
    /// archive, or go.
    ///
    /// Snapshot (saved, loaded again, compared) -> `compacted` is durable -> the manifest lets the segments go -> they
    /// are moved or unlinked. A crash between any two of these leaves a ledger that opens and can be compacted again.
    package func compact(_ request: CompactRequest) throws(LedgerError) -> CompactReport {
        commit()
        try requireOpen()
        let before = log?.byteCount ?? 0
        // Without a number, what was sealed goes; with one, so does the segment in use.
        if request.keepEvents != nil, !request.isDryRun {
            try logged { () throws(LogError) in try log?.rotate() }
        }
        let kept = min(request.keepEvents ?? 0, state.sequence.rawValue)
        let limit = SequenceNumber(state.sequence.rawValue - kept)
        let droppable = try logged { () throws(LogError) in try log?.droppable(through: limit) ?? nil }
        var report = CompactReport(
            through: droppable?.last ?? .zero, last: state.sequence, eventsDropped: droppable?.events ?? 0,
            segmentsDropped: droppable?.segments ?? 0, bytesBefore: before,
            bytesAfter: before - min(before, droppable?.bytes ?? 0), archived: !request.drops,
            isDryRun: request.isDryRun, root: log?.root.description ?? "")
        guard !request.isDryRun, let last = droppable?.last else { return report }
        let snapshot = state.sequence
        try logged { () throws(LogError) in try log?.save(state) }
        _ = stage(
            Submission(.maintain(.compacted(through: last, archived: !request.drops)), id: nil, actor: .maintenance))
        // Nothing leaves the log before it is on record there that it does.
        if let trouble = commit() { throw trouble }
        try logged { () throws(LogError) in
            try log?.drop(through: last, archiving: !request.drops, snapshot: snapshot)
            try log?.pruneSnapshots(keeping: Self.snapshotsMax)
        }
        report.last = state.sequence
        report.bytesAfter = log?.byteCount ?? 0
        report.root = log?.root.description ?? ""
        return report
    }

    private func logged<Value>(_ body: () throws(LogError) -> Value) throws(LedgerError) -> Value {
        do throws(LogError) { return try body() } catch { throw .log(error) }
    }
}
