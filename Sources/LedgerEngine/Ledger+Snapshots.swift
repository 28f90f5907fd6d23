import LedgerLog
import LedgerModel

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
    /// Takes about a second for 100,000 downloads, in which no command is answered; every few hours of hard work, and
    /// transfers go on. It is a cache: without room for it there is none.
    func saveSnapshotIfDue() {
        guard log != nil, schedule.isDue(at: state.sequence) else { return }
        do throws(LogError) {
            try log?.save(state)
            try log?.pruneSnapshots(keeping: Self.snapshotsMax)
        } catch {
            if error.code != .full, error.code != .tooLarge { recover(from: .log(error)) }
        }
    }
}
