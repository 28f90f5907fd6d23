import Crypto
import LedgerLog
import LedgerModel
import LedgerSystem
import LedgerTransfer
import SystemPackage

/// A file that the log says something of: what it should be, and the look at what it is.
struct FileSubject: Sendable {
    /// What is on record.
    private enum Record: Sendable {
        case finished(PublishedFile)
        case part(ByteRangeSet, sums: RangeSums)
    }

    let id: DownloadID
    private let path: String
    private let record: Record
    private let isOnRecord: Bool

    /// How much of a file is read at once, in bytes.
    private static let blockBytes = 1 << 20

    /// The file of a download; nil when it has none, or another download's stands there now.
    init?(_ download: Download, in state: LedgerState, ledgerPrefix: String) {
        id = download.id
        isOnRecord = download.phase == .missing || download.phase == .altered
        if download.hasFinishedFile, let file = download.shownFile {
            guard state.owner(of: file.path) ?? download.id == download.id else { return nil }
            path = file.path
            record = .finished(file)
        } else if download.phase.isLive, download.phase != .publishing, !download.durable.ranges.isEmpty {
            path = PartName.path(of: download, ledgerPrefix: ledgerPrefix, generation: download.generation)
            record = .part(download.durable, sums: download.sums)
        } else {
            return nil
        }
    }

    /// The bytes that looking at it takes.
    var bytesToRead: UInt64 {
        switch record {
        case .finished(let file): file.length
        case .part(let ranges, let sums): sums.count == ranges.rangeCount ? ranges.count : 0
        }
    }

    /// What is otherwise than on record; nil when nothing is.
    func look(_ fileSystem: any FileSystem, _ progress: WorkProgress?) -> FileFinding? {
        do throws(FileError) {
            switch record {
            case .finished(let file): return try look(at: file, fileSystem, progress)
            case .part(let ranges, let sums): return try look(at: ranges, sums, fileSystem, progress)
            }
        } catch {
            return finding(.unreadable, "'\(path)' can not be read: \(error)")
        }
    }

    private func finding(_ kind: FileFinding.Kind, _ what: String, range: Range<UInt64>? = nil) -> FileFinding {
        FileFinding(kind: kind, id: id, path: path, range: range, isOnRecord: isOnRecord, what: what)
    }

    /// A finished file, and whether it is still what was published or found.
    private func look(
        at file: PublishedFile, _ fileSystem: any FileSystem, _ progress: WorkProgress?
    ) throws(FileError) -> FileFinding? {
        guard let status = try fileSystem.status(of: FilePath(path)) else {
            return finding(.missing, "'\(path)' is gone")
        }
        guard status.kind == .regular else { return finding(.altered, "'\(path)' is no file any more") }
        guard status.length == file.length else {
            return finding(
                .altered, "'\(path)' holds \(status.length) bytes, and \(file.length) are on record")
        }
        let open = try fileSystem.open(FilePath(path), .read)
        defer { open.close() }
        var hash = SHA256()
        let isWhole = try Self.read(0..<file.length, of: open, progress) { block in
            block.withUnsafeBytes { hash.update(bufferPointer: $0) }
        }
        guard isWhole else { return finding(.altered, "'\(path)' was shortened while it was read") }
        let sum = LedgerModel.Digest(.sha256, Array(hash.finalize()))
        guard sum != file.sha256 else { return nil }
        return finding(
            .altered, "'\(path)' holds other bytes: \(sum?.description ?? ""), and \(file.sha256) is on record")
    }

    /// A part file, and whether the ranges on record hold the bytes that were written.
    private func look(
        at ranges: ByteRangeSet, _ sums: RangeSums, _ fileSystem: any FileSystem, _ progress: WorkProgress?
    ) throws(FileError) -> FileFinding? {
        let end = ranges.ranges.last?.upperBound ?? 0
        guard let status = try fileSystem.status(of: FilePath(path)) else {
            return finding(.partMissing, "the part '\(path)' is gone", range: 0..<end)
        }
        guard status.length >= end else {
            return finding(
                .partMissing, "the part '\(path)' holds \(status.length) bytes, and bytes up to \(end) are on record",
                range: min(status.length, end)..<end)
        }
        guard sums.count == ranges.rangeCount else { return nil }
        let open = try fileSystem.open(FilePath(path), .read)
        defer { open.close() }
        for (range, sum) in zip(ranges.ranges, sums.values) {
            var computed: UInt32 = 0
            let isWhole = try Self.read(range, of: open, progress) { computed = CRC32C.checksum($0, seed: computed) }
            guard isWhole, computed == sum else {
                return finding(
                    .partAltered,
                    "bytes \(range.lowerBound) to \(range.upperBound - 1) of the part '\(path)' are not those that "
                        + "were written", range: range)
            }
        }
        return nil
    }

    /// Reads a stretch of a file, block by block; false when it is shorter.
    private static func read(
        _ range: Range<UInt64>, of file: any File, _ progress: WorkProgress?, _ take: (RawSpan) -> Void
    ) throws(FileError) -> Bool {
        try file.visit(range, blockBytes: blockBytes) { block in
            take(block)
            progress?.advance(UInt64(block.byteCount))
        }
    }
}
