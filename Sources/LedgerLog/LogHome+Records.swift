import LedgerModel
package import LedgerSystem
import SystemPackage

extension LogHome {
    /// Whether records, or what stands or vouches for them, are here. Without a manifest and without these, no ledger
    /// was ever finished: nothing is appended before the manifest is durable.
    package func holdsRecords(_ fileSystem: any FileSystem) throws(FileError) -> Bool {
        for directory in [log, snapshots, path.appending("archive")] where try fileSystem.status(of: directory) != nil {
            for name in try fileSystem.list(directory) {
                if directory != log { return true }
                guard SegmentName.first(name) != nil else { continue }
                if try Self.holdsRecords(directory.appending(name), fileSystem) { return true }
            }
        }
        for path in heads {
            let bytes = try fileSystem.content(of: path, bytesMax: LogBounds.headFileBytesMax)
            if let head = Head(decoding: bytes ?? [], nil), head.size > 0 { return true }
        }
        return false
    }

    /// The segments that hold records and that the manifest does not count: from elsewhere, or of a later manifest.
    func uncountedSegments(_ fileSystem: any FileSystem) throws(LogError) -> [String] {
        let names = try disk("list the segments") { () throws(FileError) in
            try fileSystem.status(of: log) == nil ? [] : fileSystem.list(log)
        }
        // Read after the names: a segment that a writer adds meanwhile is counted before it holds a record.
        let counted = Set(try Manifest.load(fileSystem, self).manifest.segments.map(\.first))
        return try disk("read a segment") { () throws(FileError) in
            var uncounted: [String] = []
            for name in names.sorted() {
                guard let first = SegmentName.first(name), !counted.contains(first) else { continue }
                let path = log.appending(name)
                // One that never held a record may be removed by an opening meanwhile.
                guard try fileSystem.status(of: path) != nil else { continue }
                if try Self.holdsRecords(path, fileSystem) { uncounted.append(name) }
            }
            return uncounted
        }
    }

    /// Whether a segment holds anything beyond its header that is not zero.
    static func holdsRecords(_ segment: FilePath, _ fileSystem: any FileSystem) throws(FileError) -> Bool {
        let file = try fileSystem.open(segment, .read)
        defer { file.close() }
        let length = try file.status().length
        var place = UInt64(LogBounds.headerBytes)
        while place < length {
            let part = try file.bytes(at: place, count: LogBounds.blockBytes)
            if part.contains(where: { $0 != 0 }) { return true }
            if part.isEmpty { break }
            place += UInt64(part.count)
        }
        return false
    }
}

extension LogError {
    /// A segment that stands in the log and that the manifest does not know.
    static func uncounted(_ name: String) -> LogError {
        LogError(
            .corrupted, "segment '\(name)' holds records and the manifest does not count it", file: name,
            detail: "the manifest is older than the log, or the file is from elsewhere",
            next: "move it away when it is from elsewhere; else put the right 'manifest-a' back")
    }
}

extension FileSystem {
    /// The content of a file that is longer than `bytesMax` only when it is damaged; none of it then, which no decoder
    /// takes for whole. Nil when there is no such file.
    func content(of path: FilePath, bytesMax: Int) throws(FileError) -> [UInt8]? {
        do throws(FileError) {
            return try contents(of: path, bytesMax: bytesMax)
        } catch {
            if error.errno == .fileTooLarge { return [] }
            throw error
        }
    }
}
