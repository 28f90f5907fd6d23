package import LedgerModel
package import LedgerSystem
package import SystemPackage

/// The name of a part file: it follows from the ledger, the download and the generation, so that whoever finds one
/// knows whose it is, and a leftover of the very name about to be made is known to be unclaimed.
package enum PartName {
    /// How many hexadecimal digits of the ledger's id stand in a name.
    package static let ledgerPrefixDigits = 8

    /// The absolute path of a part file of a download.
    package static func path(of download: Download, ledgerPrefix: String, generation: UInt32) -> String {
        let name = make(stem: download.partStem, id: download.id, ledgerPrefix: ledgerPrefix, generation: generation)
        return download.order.destination.path(of: name)
    }

    /// `<stem, shortened>.<id>-<ledger prefix>.<generation>.part`: at most 246 bytes, a single component.
    package static func make(stem: String, id: DownloadID, ledgerPrefix: String, generation: UInt32) -> String {
        let stem = FileName.shortened(stem, bytesMax: Destination.nameBytesMax)
        return "\(stem).\(id)-\(ledgerPrefix).\(generation).part"
    }

    /// The generations of which a part may stand on the disk when `recorded` is the one on record.
    ///
    /// The next is made before it goes on record, and the one before goes only after that; each attempt clears away
    /// what a crash left of either before it makes another. So there are never more than these.
    package static func generations(around recorded: UInt32) -> ClosedRange<UInt32> {
        max(recorded, 2) - 1...recorded.addingClamped(1)
    }
}

extension FileSystem {
    /// Unlinks those of these files that are there, and says whether any was.
    package func removeParts(_ paths: some Sequence<FilePath>) throws(FileError) -> Bool {
        var hasRemoved = false
        for path in paths where try status(of: path) != nil {
            try unlink(path)
            hasRemoved = true
        }
        return hasRemoved
    }
}
