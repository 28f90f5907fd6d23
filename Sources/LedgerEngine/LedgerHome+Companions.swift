import SystemPackage

extension LedgerHome {
    /// The names of the files that belong to a ledger besides its log: a copy without them is not the same.
    package var companions: [String] { [secrets, configuration, tokens].compactMap { $0.lastComponent?.string } }
}
