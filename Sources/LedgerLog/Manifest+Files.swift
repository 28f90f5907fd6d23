import LedgerModel
import LedgerSystem
import SystemPackage

extension Manifest {
    /// The manifest of a home, and the names of those of its two copies that are damaged, older than it, or gone.
    ///
    /// One copy is whole at all times once a ledger was made: none beside records is damage, and without records there
    /// is no ledger.
    /// - Parameter takingUnfinished: whether also that of a copy which was cut short is wanted, to tell what it is of.
    /// - Throws: ``LogError``: `.absent`, `.corrupted`, `.newerFormat`, `.io`.
    static func load(
        _ fileSystem: any FileSystem, _ home: LogHome, takingUnfinished: Bool = false
    ) throws(LogError) -> (manifest: Manifest, damaged: [String]) {
        let isUnfinished = try disk("look for an unfinished copy") { () throws(FileError) in
            try fileSystem.status(of: home.unfinished) != nil
        }
        if isUnfinished, !takingUnfinished { throw .unfinished(home) }
        var unreadable: LogError?
        // A reader may meet a writer first in the one copy and then in the other, and a ledger while it is made.
        for _ in 0..<LogBounds.copyReadsMax {
            var copies: [(name: String, manifest: Manifest?)] = []
            for path in home.manifests {
                let manifest = try copy(noting: &unreadable) { () throws(LogError) in try read(path, fileSystem) }
                copies.append((path.lastComponent?.string ?? "", manifest))
            }
            if let newest = copies.compactMap(\.manifest).max(by: { $0.generation < $1.generation }) {
                return (newest, copies.filter { $0.manifest != newest }.map(\.name))
            }
            if let unreadable { throw unreadable }
            guard try disk("look for records", { () throws(FileError) in try home.holdsRecords(fileSystem) }) else {
                let isArchive = try !archivedSegments(in: home.path, fileSystem).isEmpty
                throw isArchive ? .archive(home.path) : .absent(home.path)
            }
        }
        throw LogError(
            .corrupted, "both copies of the manifest are damaged or gone", file: "manifest-a",
            detail: "there are records here, or what vouches for some, so this is no new ledger",
            next: Advice.restoreManifest)
    }

    /// One copy; nil when it is damaged or not there.
    private static func read(_ path: FilePath, _ fileSystem: any FileSystem) throws(LogError) -> Manifest? {
        let bytes = try disk("read the manifest") { () throws(FileError) in
            try fileSystem.content(of: path, bytesMax: LogBounds.manifestBytesMax)
        }
        guard let bytes else { return nil }
        do throws(Fault) {
            return try Manifest(decoding: bytes)
        } catch {
            switch error {
            case .damaged: return nil
            case .format(let format): throw .newer(format, file: path.lastComponent?.string ?? "")
            }
        }
    }

    /// Writes both copies anew, one after the other, each durable before it gets its name: what a failed sync may have
    /// left in memory only is never read for a manifest.
    func store(_ fileSystem: any FileSystem, _ home: LogHome) throws(FileError) {
        let bytes = encoded
        for path in home.manifests {
            try fileSystem.replaceContents(of: path, with: bytes, permissions: LogHome.fileMode)
        }
    }

    /// The manifest as it stands now, when a compaction has made a later one since; nil while this is the latest.
    /// - Throws: ``LogError``: `.absent`, `.corrupted`, `.newerFormat`, `.io`.
    func later(_ fileSystem: any FileSystem, _ home: LogHome) throws(LogError) -> Manifest? {
        let latest = try Manifest.load(fileSystem, home).manifest
        return latest.generation > generation ? latest : nil
    }

    /// The bytes of the finished segments in the log, all of which are there.
    /// - Throws: ``LogError``: `.missing` for the first that is not, `.io`.
    func sealedBytes(_ fileSystem: any FileSystem, _ home: LogHome) throws(LogError) -> UInt64 {
        var total: UInt64 = 0
        for entry in segments where entry.state == .sealed {
            let path = home.segment(entry.first)
            let status = try disk("look at a segment") { () throws(FileError) in try fileSystem.status(of: path) }
            guard let status else {
                throw .missing(SegmentName.name(entry.first), holding: entry.first...entry.last)
            }
            total += status.length
        }
        return total
    }

    /// The manifest with its generation raised.
    func raised() -> Manifest {
        var next = self
        next.generation += 1
        return next
    }
}

extension LogError {
    static func missing(_ name: String, holding sequences: ClosedRange<SequenceNumber>? = nil) -> LogError {
        let extent = sequences.map { " for sequences \($0.lowerBound) to \($0.upperBound)" } ?? ""
        return LogError(
            .missing, "segment '\(name)' is not there", file: name, detail: "the manifest counts it\(extent)",
            next: Advice.restore(name, isReparable: SegmentName.first(name) != nil))
    }

    /// The same of a file by its path.
    static func missing(_ path: FilePath) -> LogError { missing(path.lastComponent?.string ?? "") }

    static func newer(_ format: UInt16, file: String) -> LogError {
        LogError(
            .newerFormat, "'\(file)' is of format \(format), and this program knows format \(LogBounds.format)",
            file: file, next: "update the program; nothing was changed")
    }
}

extension LogError {
    fileprivate static func unfinished(_ home: LogHome) -> LogError {
        LogError(
            .corrupted, "'\(home.path)' is a copy that was cut short, or is just being made",
            file: home.unfinished.lastComponent?.string,
            detail: "some of its files are those of the copy before",
            next: "type the same 'ledger backup' again; with no ledger to copy any more, remove 'unfinished', "
                + "and 'ledger verify' tells what is there")
    }
}
