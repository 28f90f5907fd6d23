package import LedgerAPI
import LedgerLog
import LedgerModel
package import LedgerSystem

extension Ledger {
    /// Makes the log smaller: a snapshot of the live state stands for the events before it, whose segments go to the
    /// archive, or go; segments that stay lose the progress of downloads that have ended, where the archive has them as
    /// they were.
    ///
    /// Plan -> copies in the archive, thinned copies and the snapshot are made beside the log, durable, read back ->
    /// `compacted` is durable -> the manifest lets the segments go -> they are unlinked. A crash between any two of
    /// these leaves a ledger that opens and can be compacted again. Commands go on meanwhile; one compaction runs at a
    /// time, and a second waits for it.
    /// - Parameter progress: counts the bytes of the log that are read.
    package func compact(
        _ request: CompactRequest, progress: WorkProgress? = nil
    ) async throws(LedgerError) -> CompactReport {
        await beginMaintenance()
        defer { endMaintenance() }
        try requireOpen()
        let recorded = try recordedExtent(of: request.command)
        if !request.isDryRun, recorded == nil, isWorthRotating(request) {
            try logged { () throws(LogError) in try log?.rotate() }
        }
        let before = log?.byteCount ?? 0
        var (compaction, bounds) = try plan(request, recorded)
        let compactor = Compactor(
            world: world, state: state, bytesPerSecondMax: request.bytesPerSecondMax, progress: progress)
        // The root of this very state: commands go on from here.
        guard let root = log?.root else { throw .closed }
        // Who names a number of events gets them as they were written. Without an archive nothing would hold what is
        // thinned, and no moment before it could be had any more: what stays, stays whole.
        let mayThin = request.keepEvents == nil && !request.drops
        let kept = mayThin ? log?.finished.filter { $0.last > compaction.last } ?? [] : []
        let spent = try await compactor.worthThinning(kept, compaction)
        compaction.thinned = spent.entries
        var report = try report(request, compaction, before, spent.bytes)
        if request.isDryRun {
            if isWorthRotating(request) { try await countUnfinished(compaction, bounds, &report) }
            return report
        }
        try await renewSnapshot()
        guard !compaction.isEmpty else { return report }
        try await making(compaction) { () throws(LedgerError) in
            try await save(compactor.state, root)
            try await compactor.prepare(compaction)
            if request.drops, let last = compaction.taken.last { await saveBeginning(after: last) }
            try requireOpen()
            if recorded == nil {
                let event = Command.maintain(.compacted(through: compaction.last, archived: !request.drops))
                _ = stage(Submission(event, id: request.command, actor: .maintenance))
                // Nothing leaves the log before it is on record there that it does.
                if let trouble = commit() { throw trouble }
            }
            try logged { () throws(LogError) in
                try log?.finish(compaction, snapshot: compactor.state.sequence)
                try log?.pruneSnapshots(keeping: Self.snapshotsMax)
            }
        }
        report.last = state.sequence
        report.bytesAfter = log?.byteCount ?? 0
        report.root = log?.root.description ?? ""
        return report
    }

    /// Waits until nobody else takes anything out of the log.
    func beginMaintenance() async {
        while isMaintained { await withCheckedContinuation { waitingForMaintenance.append($0) } }
        isMaintained = true
    }

    /// Lets the next one.
    func endMaintenance() {
        isMaintained = false
        let next = waitingForMaintenance
        waitingForMaintenance = []
        for continuation in next { continuation.resume() }
    }

    /// Does what makes files for a compaction; when that fails, they go. Where the ledger is closed by then, the next
    /// opening removes them, whosever it is.
    func making<Made>(
        _ compaction: Compaction, _ make: () async throws(LedgerError) -> Made
    ) async throws(LedgerError) -> Made {
        do throws(LedgerError) { return try await make() } catch {
            if log != nil { compaction.discard() }
            throw error
        }
    }

    /// The length of the log's files, in bytes; 0 once it is closed.
    package var logByteCount: UInt64 { log?.byteCount ?? 0 }

    /// Whether the segment in use should be finished, so that it can go too: where it is said what to keep, unless all
    /// that happened since the last compaction is what that one recorded of itself.
    private func isWorthRotating(_ request: CompactRequest) -> Bool {
        (request.keepEvents != nil || request.keepMilliseconds != nil)
            && (log?.baseSnapshot ?? .zero).next != state.sequence
    }

    /// Up to where events may go: this one, and recorded before this time where there is one.
    private struct Bounds {
        var last: SequenceNumber
        var cutoff: Timestamp?
    }

    private func plan(
        _ request: CompactRequest, _ recorded: SequenceNumber?
    ) throws(LedgerError) -> (Compaction, Bounds) {
        let kept = min(request.keepEvents ?? 0, state.sequence.rawValue)
        // What hooks have not been told of stays.
        let untold = state.library.untold(before: state.sequence) ?? state.sequence
        let limit = recorded ?? min(untold, SequenceNumber(state.sequence.rawValue - kept))
        let isByTime = request.keepMilliseconds != nil || request.keepEvents == nil
        let span = request.keepMilliseconds ?? CompactRequest.keepMillisecondsDefault
        let cutoff = isByTime && recorded == nil ? world.clock.now().advanced(by: .milliseconds(-span)) : nil
        let compaction = try logged { () throws(LogError) in
            try log?.compaction(through: limit, before: cutoff, archiving: !request.drops)
        }
        guard let compaction else { throw .closed }
        return (compaction, Bounds(last: limit, cutoff: cutoff))
    }

    /// Adds the segment that is being written to the report of a dry run, when it would be finished and go, too.
    private func countUnfinished(
        _ compaction: Compaction, _ bounds: Bounds, _ report: inout CompactReport
    ) async throws(LedgerError) {
        let finished = log?.finished ?? []
        let begin = finished.last?.last ?? compaction.base
        let last = state.sequence
        guard begin < last, last <= bounds.last, compaction.taken.count == finished.count else { return }
        if let cutoff = bounds.cutoff, log?.unfinishedTime.map({ $0 >= cutoff }) ?? true { return }
        let bytes = try await world.blockingLog { () throws(LogError) in try compaction.byteCount(of: finished) }
        report.eventsDropped += last.rawValue - begin.rawValue
        report.segmentsDropped += 1
        report.through = last
        report.bytesAfter -= min(report.bytesAfter, report.bytesBefore - min(report.bytesBefore, bytes))
    }

    private func report(
        _ request: CompactRequest, _ compaction: Compaction, _ before: UInt64, _ spent: UInt64
    ) throws(LedgerError) -> CompactReport {
        let gone = try logged { () throws(LogError) in try compaction.byteCount(of: compaction.taken) }
        return CompactReport(
            through: compaction.last, last: state.sequence, eventsDropped: compaction.events,
            segmentsDropped: compaction.taken.count, segmentsThinned: compaction.thinned.count, bytesBefore: before,
            bytesAfter: before - min(before, gone + spent), archived: !request.drops, isDryRun: request.isDryRun,
            root: log?.root.description ?? "")
    }

    /// Makes the snapshot that stands for what left the log anew from the archive, when it can not be read, or is of
    /// another history.
    private func renewSnapshot() async throws(LedgerError) {
        guard let store = log?.snapshots, let base = log?.baseSnapshot, base > .zero else { return }
        let (home, world) = (home, world)
        try await world.blocking.run { () throws(LedgerError) in
            do throws(LogError) {
                let (path, fileSystem) = (home.path, world.fileSystem)
                if try LogReader.trouble(withSnapshot: base, home: path, fileSystem: fileSystem) == nil { return }
            } catch { throw .log(error) }
            let state = try LedgerReading(home: home, world: world).state(at: .sequence(base))
            do throws(LogError) {
                var prover = try LogProver(home: home.path, fileSystem: world.fileSystem)
                try store.save(StateSnapshot.snapshot(of: state, root: try prover.root(at: base.rawValue)))
            } catch { throw .log(error) }
        }
    }

    /// Saves the state that what stays in the log goes on from, once what comes before it is dropped: the past can be
    /// looked into from there on. Where that was thinned, or its archive is damaged, or there is no room, it can not
    /// be: that keeps nothing from being dropped.
    private func saveBeginning(after last: Manifest.Entry) async {
        guard let store = log?.snapshots else { return }
        let (home, world) = (home, world)
        await world.blocking.run {
            do {
                guard try store.load(last.last) == nil else { return }
                let state = try LedgerReading(home: home, world: world).state(at: .sequence(last.last))
                try store.save(StateSnapshot.snapshot(of: state, root: last.root))
            } catch { return }
        }
    }

    /// Saves the snapshot that will stand for what goes, after the milestone that may be being written under the very
    /// same name. It is taken apart again first: what can not be had from it must stay in the log.
    func save(_ state: LedgerState, _ root: TreeHash) async throws(LedgerError) {
        await snapshotting?.value
        try await write(state, root, isChecked: true)
    }

    /// Writes a snapshot, with the ballast's room when the disk is full.
    /// - Parameter isChecked: whether it is not written unless the very state can be had from it.
    func write(_ state: LedgerState, _ root: TreeHash, isChecked: Bool = false) async throws(LedgerError) {
        guard let store = log?.snapshots else { throw .closed }
        let write = { @Sendable () throws(LogError) in
            let snapshot = StateSnapshot.snapshot(of: state, root: root)
            guard !isChecked || StateSnapshot.state(of: snapshot) == state else {
                throw LogError(
                    .corrupted, "a snapshot at \(state.sequence) would not hold the state that it is of",
                    next: "nothing left the log; this is a bug worth reporting")
            }
            try store.save(snapshot)
        }
        do throws(LedgerError) {
            try await world.blockingLog(write)
        } catch {
            guard error.isNoRoom,
                try logged({ () throws(LogError) in try log?.releaseBallast() ?? false })
            else { throw error }
            try await world.blockingLog(write)
        }
    }

    /// Up to where a command was to compact, when it is on record: a crash may have come before the end of it.
    private func recordedExtent(of command: CommandID?) throws(LedgerError) -> SequenceNumber? {
        guard let answer = command.flatMap(state.queue.answer(to:)) else { return nil }
        var reader = try EventReader(home: home, fileSystem: world.fileSystem, after: answer.first.previous)
        let event = try reader.next()?.events.first { $0.sequence == answer.first }?.event
        guard case .compacted(let through, _)? = event else { return .zero }
        return through
    }

    func logged<Value>(_ body: () throws(LogError) -> Value) throws(LedgerError) -> Value {
        do throws(LogError) { return try body() } catch { throw .log(error) }
    }
}
