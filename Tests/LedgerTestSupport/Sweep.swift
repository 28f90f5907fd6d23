import LedgerSystem

#if PLANTED_BUGS
    import LedgerModel
#endif

/// How much of a sweep a run takes: a slice in `swift test`, all of it where `LEDGER_PROOF` is set, and of the one case
/// that `LEDGER_PROOF_CASE` names.
package enum Sweep {
    /// Whether all of it is taken.
    package static let isWhole =
        CurrentProcess.environment("LEDGER_PROOF") != nil || CurrentProcess.environment("LEDGER_PROOF_CASE") != nil

    /// Turns on the bug that `LEDGER_PLANTED_BUG` names, in builds that carry any.
    static func begin() { planting }

    private static let planting: Void = {
        #if PLANTED_BUGS
            guard let name = CurrentProcess.environment("LEDGER_PLANTED_BUG") else { return }
            guard let bug = PlantedBug(rawValue: name) else { preconditionFailure("there is no bug '\(name)'") }
            PlantedBug.plant(bug)
        #endif
    }()

    /// A number in place of that of a slice, from `LEDGER_PROOF_SLICE`; nil when it names none above 0.
    private static let sliceWanted = CurrentProcess.environment("LEDGER_PROOF_SLICE").flatMap(Int.init).flatMap {
        $0 > 0 ? $0 : nil
    }

    /// The numbers from `first` to `last`: all, or one in `slice`.
    package static func numbers(_ first: Int, _ last: Int, slice: Int) -> [Int] {
        Array(stride(from: first, through: last, by: isWhole ? 1 : sliceWanted ?? slice))
    }
}
