import LedgerAPI
import LedgerEngine
import LedgerModel
import LedgerSystem
import Synchronization

extension LedgerService {
    /// How often `run` looks whether something in the trash has been there for too long.
    static let trashPause = Duration.seconds(3600)

    /// Lets leave the trash for good what may not stay there: recorded first, then unlinked.
    func expireTrash() async throws(LedgerError) {
        let (now, limits) = (ledger.world.clock.now(), trash.withLock { $0 })
        var ids = try await ledger.read { $0.queue.expiring(under: limits, at: now) }
        // What leaves the trash for good has to be there.
        let held = try await reconciler.finishDeletions(of: ids)
        ids.removeAll { held[$0] != nil }
        guard !ids.isEmpty else { return }
        let expiring = try await ledger.read { [ids] state in ids.compactMap { state.queue[$0] } }
        let outcomes = try await ledger.execute(ids.map { Submission(.expire($0), id: nil, actor: .maintenance) })
        try await reconciler.follow(outcomes.flatMap(\.recordedEvents))
        await sweepSecrets(behind: expiring)
    }

    /// Removes the secrets that nothing needs any more behind the end of these downloads. What the disk keeps from it
    /// is told, and done by the next compaction.
    func sweepSecrets(behind downloads: [Download]) async {
        guard downloads.contains(where: { $0.order.secret != nil }) else { return }
        do throws(LedgerError) { try await ledger.sweep(secrets) } catch { configuration.notice(Problem(error)) }
    }

    /// Does so again and again until the task is cancelled.
    func tendTrash() async {
        await ledger.tend(every: Self.trashPause, report: configuration.notice) { () throws(LedgerError) in
            try await expireTrash()
        }
    }
}
