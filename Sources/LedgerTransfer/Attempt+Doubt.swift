import LedgerModel
import LedgerSystem

/// What may not be the file stands beside the part on record, until a digest tells or more of it came.
extension Attempt {
    /// What is held goes on record before something stands beside it.
    func recordKept() async throws(Ending) {
        guard let origin = withState({ $0.recordedPart == nil ? $0.machine.kept?.origin : nil }) else { return }
        let reports: [Report]
        do throws(Failure) { reports = try await unrecorded(of: origin) } catch { throw .failed(error) }
        try await record(reports)
    }

    /// What stood beside the part on record is the file: it takes its place.
    func settleDoubt() async throws(Ending) {
        let (origin, generation) = withState { ($0.machine.isDoubtful ? $0.machine.held?.origin : nil, $0.generation) }
        guard let origin else { return }
        var reports: [Report]
        do throws(Failure) { reports = try await unrecorded() } catch { throw .failed(error) }
        // Of an empty file nothing came.
        if reports.isEmpty { reports = [.resolved(origin, generation: generation)] }
        try await replaceRecorded(reports)
    }

    /// What stood beside the part on record is not the file, as these words say: it goes, and that one is taken up.
    func goBack(_ words: String) async throws(Ending) -> WorkerStateMachine.Action {
        do throws(Failure) { try await leaveDoubt() } catch { throw .failed(error) }
        return withState { $0.machine.goBack(words) }
    }

    /// Takes up the part on record again, if something stands beside it, and removes that.
    func leaveDoubt() async throws(Failure) {
        let beside = withState { state -> (PartFile, UInt32)? in
            guard state.machine.isDoubtful else { return nil }
            state.machine.leaveDoubt()
            // Nothing may stand beside it yet.
            guard let recorded = state.recordedPart, let part = state.part else { return nil }
            defer { state.generation = state.recordedGeneration }
            (state.part, state.recordedPart, state.given, state.rates) = (recorded, nil, [], RateMeter())
            state.checks = state.machine.pieceChecks
            state.digest = RunningDigest(stated: state.machine.expected?.algorithm, absorbs: state.checks == nil)
            return (part, state.generation)
        }
        guard let (part, generation) = beside else { return }
        let (held, total) = withState { ($0.part?.written.count ?? 0, $0.machine.held?.origin.length) }
        live.update { ($0.received, $0.resumedFrom, $0.total) = (held, held, total) }
        part.close()
        try await removePart(partPath(generation))
    }
}

extension Attempt.State {
    /// Whether these are more bytes than what stands on record beside them.
    func holdsMore(_ bytes: ByteRangeSet?) -> Bool { (bytes?.count ?? 0) > (machine.kept?.bytes.count ?? 0) }
}
