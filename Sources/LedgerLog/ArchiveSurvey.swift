package import LedgerModel
package import LedgerSystem
package import SystemPackage

/// Which of the segments that compactions archived stand in the archive. They may have been moved elsewhere, and what
/// holds the log together does not need them: so nothing else says that they are not there. None is read.
package struct ArchiveSurvey: Hashable, Sendable {
    /// How many stand there.
    package private(set) var present = 0
    /// The stretches of records whose segments do not, in their order.
    package private(set) var missing: [ClosedRange<SequenceNumber>] = []

    /// Looks into the archive of a home.
    /// - Throws: ``LogError``: what reading the manifest finds, `.io`.
    package init(home path: FilePath, fileSystem: any FileSystem) throws(LogError) {
        let home = LogHome(path)
        for entry in try Manifest.load(fileSystem, home).manifest.segments where entry.state == .archived {
            let copy = try disk("look into the archive") { () throws(FileError) in
                try home.archivedCopy(entry.first, fileSystem)
            }
            if copy != nil {
                present += 1
            } else if let last = missing.last, last.upperBound.next == entry.first {
                missing[missing.count - 1] = last.lowerBound...entry.last
            } else {
                missing.append(entry.first...entry.last)
            }
        }
    }
}
