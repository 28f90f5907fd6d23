import LedgerModel
import LedgerSystem

extension Manifest {
    /// The records that can be read one after the other, in ascending order; the last segment is taken to be there, and
    /// the stretch that ends with an active one has no end.
    /// - Parameter includingArchive: whether what a compaction moved to the archive counts, where there is a copy.
    /// - Throws: ``LogError``: `.io`.
    func stretches(
        _ home: LogHome, _ fileSystem: any FileSystem, includingArchive: Bool
    ) throws(LogError) -> [ClosedRange<SequenceNumber>] {
        var stretches: [ClosedRange<SequenceNumber>] = []
        for (place, entry) in segments.enumerated() {
            if place < segments.count - 1, try !entry.isReadable(home, fileSystem, includingArchive) { continue }
            let last = entry.state == .active ? SequenceNumber(.max) : entry.last
            if let before = stretches.last, before.upperBound.next == entry.first {
                stretches[stretches.count - 1] = before.lowerBound...last
            } else {
                stretches.append(entry.first...last)
            }
        }
        return stretches
    }

    /// The records of each segment that went to the archive and is in none of the stretches that can be read, in
    /// ascending order.
    func away(from stretches: [ClosedRange<SequenceNumber>]) -> [ClosedRange<SequenceNumber>] {
        let archived = segments.filter { $0.state == .archived }
        return archived.filter { entry in !stretches.contains { $0.contains(entry.first) } }.map { $0.first...$0.last }
    }
}

extension Manifest.Entry {
    /// Whether its records can be read: from the log, or from the archive where that is wanted and there is a copy.
    fileprivate func isReadable(
        _ home: LogHome, _ fileSystem: any FileSystem, _ includingArchive: Bool
    ) throws(LogError) -> Bool {
        if state.isInLog { return true }
        guard includingArchive, state == .archived else { return false }
        return try disk("look into the archive") { () throws(FileError) in
            try home.archivedCopy(first, fileSystem) != nil
        }
    }
}
