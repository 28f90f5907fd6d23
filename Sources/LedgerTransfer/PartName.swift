package import LedgerModel

/// The name of a part file: it follows from the ledger, the download and the generation, so that whoever finds one
/// knows whose it is, and a leftover of the very name about to be made is known to be unclaimed.
package enum PartName {
    /// How many hexadecimal digits of the ledger's id stand in a name.
    package static let ledgerPrefixDigits = 8

    /// `<planned name, shortened>.<id>-<ledger prefix>.<generation>.part`: at most 246 bytes, a single component.
    package static func make(plannedName: String, id: DownloadID, ledgerPrefix: String, generation: UInt32) -> String {
        let stem = FileName.shortened(plannedName, bytesMax: Destination.nameBytesMax)
        return "\(stem).\(id)-\(ledgerPrefix).\(generation).part"
    }
}
