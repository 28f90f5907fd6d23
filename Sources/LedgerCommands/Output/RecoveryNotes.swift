import LedgerLog
import LedgerViews

extension RecoveryReport {
    /// What a person is told of what opening the ledger put right: nothing when the last holder closed it.
    var notes: [String] {
        var notes = mended.map { "'\($0)' was damaged, older than its twin, or gone: it was written again" }
        if tornBytes > 0 {
            let size = Figures.counted(tornBytes, "byte")
            notes.append("an unacknowledged batch was cut short and is dropped: \(size)")
        }
        return notes
    }
}
