import LedgerLog
import LedgerModel
import LedgerSystem

/// When the next snapshot is due.
struct SnapshotSchedule: Hashable, Sendable {
    /// How many events after the last one.
    let stepEvents: UInt64
    /// The last one that was saved, or should have been.
    private(set) var last: SequenceNumber

    /// Whether one is due at a sequence; then the next is due a step later, whatever becomes of this one.
    mutating func isDue(at sequence: SequenceNumber) -> Bool {
        guard sequence >= last, sequence.rawValue - last.rawValue >= stepEvents else { return false }
        last = sequence
        return true
    }
}

extension Ledger {
    /// Saves a snapshot behind a commit, when enough has happened since the last: a milestone for looks into the past,
    /// and less to fold for whoever opens the ledger after a crash.
    ///
    /// It is written beside the ledger's thread, which only has to copy the state when it next changes: some 50 ms for
    /// 100,000 downloads. It is a cache: without room for it there is none. The segment that is written ends with it,
    /// and its seal holds the tree there: whatever becomes of the log before, it can go on from here.
    func saveSnapshotIfDue() {
        guard snapshotting == nil, schedule.isDue(at: hub.last) else { return }
        do throws(LedgerError) { try logged { () throws(LogError) in try log?.rotate() } } catch { passOver(error) }
        guard let root = log?.root else { return }
        snapshotting = Task { [state] in await saveSnapshot(of: state, root) }
    }

    private func saveSnapshot(of state: LedgerState, _ root: TreeHash) async {
        defer { snapshotting = nil }
        do throws(LedgerError) {
            try await write(state, root)
            // A compaction saved the one that it will go on from, and names it only at its end.
            if !isMaintained {
                try logged { () throws(LogError) in try log?.pruneSnapshots(keeping: Self.snapshotsMax) }
            }
        } catch { passOver(error) }
    }

    /// Goes on without a snapshot for which there is no room; anything else that fails is the log's business.
    private func passOver(_ error: LedgerError) {
        guard case .log(let cause) = error, cause.code != .full, cause.code != .tooLarge, log != nil else { return }
        recover(from: error)
    }
}
