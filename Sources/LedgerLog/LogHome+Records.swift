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
