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
        let recorded = try recordedExtent(of: request.command)
        // Without a number, what was sealed goes; with one, so does the segment in use.
        if request.keepEvents != nil, !request.isDryRun, recorded == nil {
            try logged { () throws(LogError) in try log?.rotate() }
        }
        let kept = min(request.keepEvents ?? 0, state.sequence.rawValue)
        let limit = recorded ?? SequenceNumber(state.sequence.rawValue - kept)
        let droppable = try logged { () throws(LogError) in try log?.droppable(through: limit) ?? nil }
        var report = CompactReport(
            through: droppable?.last ?? .zero, last: state.sequence, eventsDropped: droppable?.events ?? 0,
            segmentsDropped: droppable?.segments ?? 0, bytesBefore: before,
            bytesAfter: before - min(before, droppable?.bytes ?? 0), archived: !request.drops,
            isDryRun: request.isDryRun, root: log?.root.description ?? "")
        guard !request.isDryRun, let last = droppable?.last else { return report }
        let snapshot = state.sequence
        try logged { () throws(LogError) in try log?.save(state) }
        if recorded == nil {
            let compaction = Command.maintain(.compacted(through: last, archived: !request.drops))
            _ = stage(Submission(compaction, id: request.command, actor: .maintenance))
            // Nothing leaves the log before it is on record there that it does.
            if let trouble = commit() { throw trouble }
        }
        try logged { () throws(LogError) in
            try log?.drop(through: last, archiving: !request.drops, snapshot: snapshot)
            try log?.pruneSnapshots(keeping: Self.snapshotsMax)
        }
        report.last = state.sequence
        report.bytesAfter = log?.byteCount ?? 0
        report.root = log?.root.description ?? ""
        return report
    }

    /// Up to where a command was to compact, when it is on record: a crash may have come before the end of it.
    private func recordedExtent(of command: CommandID?) throws(LedgerError) -> SequenceNumber? {
        guard let answer = command.flatMap(state.queue.answer(to:)) else { return nil }
        var reader = try EventReader(home: home, fileSystem: world.fileSystem, after: answer.first.previous)
        let event = try reader.next()?.events.first { $0.sequence == answer.first }?.event
        guard case .compacted(let through, _)? = event else { return .zero }
        return through
    }

    private func logged<Value>(_ body: () throws(LogError) -> Value) throws(LedgerError) -> Value {
        do throws(LogError) { return try body() } catch { throw .log(error) }
    }
}
