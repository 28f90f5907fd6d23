import LedgerSystem

/// How much of a sweep a run takes: a slice in `swift test`, all of it where `LEDGER_PROOF` is set.
package enum Sweep {
    /// Whether all of it is taken.
    package static let isWhole = CurrentProcess.environment("LEDGER_PROOF") != nil

    /// The numbers from `first` to `last`: all, or one in `slice`.
    package static func numbers(_ first: Int, _ last: Int, slice: Int) -> [Int] {
        Array(stride(from: first, through: last, by: isWhole ? 1 : slice))
    }
}
