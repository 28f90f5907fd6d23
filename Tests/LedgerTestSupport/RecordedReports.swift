package import LedgerModel
package import LedgerSystem
package import LedgerTransfer
import Synchronization
package import SystemPackage

/// Keeps what workers report, and answers as the engine would as far as one test needs it.
package final class RecordedReports: WorkerReporting {
    private struct State {
        var batches: [[WorkerReport]] = []
        var held: Set<String> = []
        var refuse: @Sendable (WorkerReport) -> WorkerStop? = { _ in nil }
        var watchers: [(isMet: @Sendable ([Report]) -> Bool, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())

    /// An engine that records everything.
    package init() {}

    /// What was recorded, in order.
    package var all: [Report] { batches.flatMap { $0 }.flatMap(\.reports) }

    /// What was recorded together.
    package var batches: [[WorkerReport]] { state.withLock { $0.batches } }

    /// Puts on record what happened before the test began.
    package func record(_ reports: [Report]) {
        state.withLock { $0.batches.append([WorkerReport(Lease(DownloadID(1), epoch: 0), reports)]) }
    }

    /// From now on refuses what `refuse` says.
    package func refuse(_ refuse: @escaping @Sendable (WorkerReport) -> WorkerStop?) {
        state.withLock { $0.refuse = refuse }
    }

    /// From now on the file at this path is one of the ledger's.
    package func hold(_ path: String) { state.withLock { _ = $0.held.insert(path) } }

    package func holds(_ standing: FileStatus, at path: FilePath) async -> Bool {
        state.withLock { $0.held.contains(path.string) }
    }

    /// Waits until what was recorded meets a condition.
    package func until(_ isMet: @escaping @Sendable ([Report]) -> Bool) async {
        await withCheckedContinuation { continuation in
            let isNow = state.withLock { state in
                if isMet(state.batches.flatMap { $0 }.flatMap(\.reports)) { return true }
                state.watchers.append((isMet, continuation))
                return false
            }
            if isNow { continuation.resume() }
        }
    }

    package func report(_ batch: [WorkerReport]) async -> [WorkerStop?] {
        let (answers, met) = state.withLock { state -> ([WorkerStop?], [CheckedContinuation<Void, Never>]) in
            let answers = batch.map(state.refuse)
            state.batches.append(zip(batch, answers).filter { $0.1 == nil }.map(\.0))
            let all = state.batches.flatMap { $0 }.flatMap(\.reports)
            let met = state.watchers.filter { $0.isMet(all) }.map(\.continuation)
            state.watchers.removeAll { $0.isMet(all) }
            return (answers, met)
        }
        for continuation in met { continuation.resume() }
        return answers
    }
}
