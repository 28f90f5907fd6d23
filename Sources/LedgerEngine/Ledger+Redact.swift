package import LedgerAPI
import LedgerLog
package import LedgerModel
package import LedgerSystem

extension Ledger {
    /// Leaves nothing of what was recorded about deleted downloads: their records keep their leaves, so that every root
    /// stays, and lose their content in the log, in the archive and in the snapshots.
    ///
    /// Look through all of it -> `redacted` is durable, for each -> segments and snapshots without the content are made
    /// beside, read back, and take their places. Cut short at any step, the next call does the rest: what is on record
    /// as redacted is looked for every time. Commands go on meanwhile.
    /// - Parameter progress: counts the bytes of segments that are read.
    /// - Returns: what was done, or why a download can not be redacted; nothing was done then.
    package func redact(
        _ request: RedactRequest, progress: WorkProgress? = nil
    ) async throws(LedgerError) -> Result<RedactReport, Rejection> {
        await beginMaintenance()
        defer { endMaintenance() }
        try requireOpen()
        let looker = try redactor(progress)
        let survey = try await world.blockingLog { () throws(LogError) in try looker.survey(for: request.match) }
        let downloads = state.queue.downloads
        let held = await world.blocking.run { Redactor.matching(request.match, in: downloads) }
        try requireOpen()
        let wanted = survey.matching.union(held).union(request.ids)
        let fresh = wanted.subtracting(survey.redacted).sorted()
        let commands = fresh.map { Command.redact($0, reason: request.reason) }
        do throws(Rejection) {
            for command in commands { _ = try state.queue.decide(command, at: world.clock.now()) }
        } catch { return .failure(error) }
        var report = RedactReport(ids: wanted.sorted(), isDryRun: request.isDryRun)
        let all = survey.redacted.union(fresh)
        if !request.isDryRun {
            for command in commands {
                _ = stage(Submission(command, id: request.command, actor: .maintenance))
                if log?.isBatchFull ?? false, let trouble = commit() { throw trouble }
            }
            // Nothing is taken out before it is on record that it is.
            if let trouble = commit() { throw trouble }
            try logged { () throws(LogError) in try log?.rotate() }
        }
        guard let root = log?.root else { throw .closed }
        report.root = root.description
        let (redactor, after) = (try redactor(progress), state)
        var compaction = redactor.compaction
        var records: [SequenceNumber: UInt64] = [:]
        (report, compaction.thinned, records) = try await making(compaction) { [report] () throws(LedgerError) in
            try await world.blockingLog { () throws(LogError) in
                var (next, records) = (report, [SequenceNumber: UInt64]())
                if request.isDryRun { try redactor.countUnfinished(all, &next) }
                let exchanged = try redactor.redact(all, inLog: true, isDryRun: request.isDryRun, &next, &records)
                return (next, exchanged, records)
            }
        }
        if !compaction.isEmpty, !request.isDryRun {
            try await making(compaction) { [compaction] () throws(LedgerError) in
                try await save(after, root)
                try requireOpen()
                try logged { () throws(LogError) in
                    try log?.finish(compaction, snapshot: after.sequence)
                    try log?.pruneSnapshots(keeping: Self.snapshotsMax)
                }
            }
        }
        report = try await making(compaction) { [report, records] () throws(LedgerError) in
            try await world.blockingLog { () throws(LogError) in
                var (next, records) = (report, records)
                _ = try redactor.redact(all, inLog: false, isDryRun: request.isDryRun, &next, &records)
                next.records += records.values.reduce(0, +)
                return next
            }
        }
        // One that was begun before is of a state that still holds what is redacted.
        await snapshotting?.value
        guard let store = log?.snapshots else { throw .closed }
        report.snapshots = try await world.blockingLog { [unreached = report.unreached] () throws(LogError) in
            try redactor.redactSnapshots(store, all, unreached: unreached, isDryRun: request.isDryRun)
        }
        return .success(report)
    }

    /// What takes content out of the segments that are finished now.
    private func redactor(_ progress: WorkProgress?) throws(LedgerError) -> Redactor {
        let compaction = try logged { () throws(LogError) in
            try log?.compaction(through: .zero, before: nil, archiving: false)
        }
        guard let compaction else { throw .closed }
        return Redactor(compaction: compaction, progress: progress)
    }
}
