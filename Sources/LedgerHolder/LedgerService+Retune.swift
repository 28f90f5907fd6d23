package import LedgerAPI
import LedgerEngine
import LedgerModel
import Synchronization

extension LedgerService {
    /// Takes over, while the ledger is held, what a new reading of the configuration says otherwise than the last one:
    /// how much is done at once, the rate, the hours, the queue, the trash and when the log is compacted. What both say
    /// alike stays as `limit` may have changed it.
    /// - Throws: a ``Problem`` of the disk, when the trash may hold less and can not be emptied that far.
    package func retune(from old: ServiceConfiguration, to new: ServiceConfiguration) async throws(Problem) {
        limits.withLock { $0.takeChanges(from: old.limits, to: new.limits) }
        if old.bytesPerSecondMax != new.bytesPerSecondMax { pool.setRate(new.bytesPerSecondMax) }
        if old.compaction != new.compaction { compaction.change { $0 = new.compaction } }
        if old.own != new.own { take(new.own) }
        await handOnLimits()
        guard old.trash != new.trash else { return }
        trash.withLock { $0 = new.trash }
        do throws(LedgerError) { try await expireTrash() } catch { throw Problem(error) }
    }

    /// Has pool and ledger keep to the limits as they are when each takes them: of two changes at once the last one
    /// holds for both.
    /// - Returns: the limits.
    @discardableResult
    func handOnLimits() async -> Limits {
        await pool.takeLimits { self.limits.withLock { $0 } }
        await ledger.takeLimits { self.limits.withLock { $0 } }
        return limits.withLock { $0 }
    }
}

extension Limits {
    fileprivate mutating func takeChanges(from old: Limits, to new: Limits) {
        if old.runningMax != new.runningMax { runningMax = new.runningMax }
        if old.runningPerHostMax != new.runningPerHostMax { runningPerHostMax = new.runningPerHostMax }
        if old.queuedDownloadsMax != new.queuedDownloadsMax { queuedDownloadsMax = new.queuedDownloadsMax }
        if old.queuePolicy != new.queuePolicy { queuePolicy = new.queuePolicy }
        if old.window != new.window { window = new.window }
    }
}
