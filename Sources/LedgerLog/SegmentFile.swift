import LedgerModel
import LedgerSystem
import SystemPackage

/// A segment that was opened and whose header was found to be its own.
struct SegmentFile: Sendable {
    let file: any File
    let header: SegmentHeader
    let name: String

    /// Opens a segment and checks its header against what the manifest says.
    static func open(
        _ fileSystem: any FileSystem, _ path: FilePath, _ mode: OpenMode, identity: LedgerID, first: SequenceNumber,
        ordinal: Int, previousSeal: TreeHash?
    ) throws(LogError) -> SegmentFile {
        let (file, header) = try read(fileSystem, path, mode)
        let segment = SegmentFile(file: file, header: header, name: path.lastComponent?.string ?? "")
        try segment.check(identity: identity, first: first, ordinal: ordinal, previousSeal: previousSeal)
        return segment
    }

    /// Opens a segment and reads its header, whatever it belongs to.
    /// - Throws: ``LogError``: `.missing` when there is none, `.corrupted`, `.newerFormat`, `.io`.
    static func read(
        _ fileSystem: any FileSystem, _ path: FilePath, _ mode: OpenMode
    ) throws(LogError) -> (file: any File, header: SegmentHeader) {
        let name = path.lastComponent?.string ?? ""
        let file: any File = try disk("open a segment", counted: path) { () throws(FileError) in
            let opened = try fileSystem.open(path, mode)
            return isPacked(path) ? try ArchivedFile(opened) : opened
        }
        let bytes = try disk("read a segment's header") { () throws(FileError) in
            try file.bytes(at: 0, count: LogBounds.headerBytes)
        }
        do throws(SegmentHeader.Fault) {
            return (file, try SegmentHeader(decoding: bytes.span))
        } catch {
            throw error.logError(name)
        }
    }

    /// Whether it is the one that belongs in its place.
    /// - Throws: ``LogError``: `.tampered`.
    func check(
        identity: LedgerID, first: SequenceNumber, ordinal: Int, previousSeal: TreeHash?
    ) throws(LogError) {
        let expected = SegmentHeader(
            identity: identity, ordinal: UInt32(ordinal), salt: header.salt, first: first, previousSeal: previousSeal)
        guard header == expected else {
            throw LogError(
                .tampered, "segment '\(name)' is whole and is not the one that belongs here", file: name, offset: 0,
                detail: Self.difference(header, expected), next: Advice.verify)
        }
    }

    /// Whether a path, also that of a temporary file, is of a packed segment.
    static func isPacked(_ path: FilePath) -> Bool { path.lastComponent?.string.contains(".seg.gz") ?? false }

    private static func difference(_ header: SegmentHeader, _ expected: SegmentHeader) -> String {
        if header.identity != expected.identity { return "it is of another ledger (\(header.identity))" }
        if header.first != expected.first { return "it begins with sequence \(header.first), not \(expected.first)" }
        if header.ordinal != expected.ordinal { return "it is number \(header.ordinal), not \(expected.ordinal)" }
        return "it follows another segment than the one before it"
    }

    /// The seal at the end of a finished segment; nil when there is none that holds.
    func seal() throws(FileError) -> SegmentSeal? {
        let end = try file.status().length
        guard end >= UInt64(LogBounds.headerBytes + SegmentSeal.trailerBytes) else { return nil }
        let trailer = try file.bytes(at: end - UInt64(SegmentSeal.trailerBytes), count: SegmentSeal.trailerBytes)
        guard trailer.count == SegmentSeal.trailerBytes, trailer.span.integer(at: 4) == SegmentSeal.closing
        else { return nil }
        let length = UInt64(trailer.span.integer(at: 0, as: UInt32.self))
        guard length >= UInt64(SegmentSeal.fixedBytes), length <= end - UInt64(LogBounds.headerBytes) else {
            return nil
        }
        let bytes = try file.bytes(at: end - length, count: Int(length))
        guard let seal = SegmentSeal(decoding: bytes.span, salt: header.salt), seal.first == header.first,
            seal.offset == end - length
        else { return nil }
        return seal
    }

    /// The seal of a finished segment, checked against the manifest's entry.
    func seal(matching entry: Manifest.Entry) throws(LogError) -> SegmentSeal {
        guard let seal = try disk("read a seal", { () throws(FileError) in try self.seal() }) else {
            throw LogError(
                .corrupted, "the seal at the end of '\(name)' is damaged", file: name,
                detail: "the manifest counts \(entry.count.grouped) records in it", next: Advice.verify)
        }
        guard seal.count == entry.count, seal.tree.root == entry.root, seal.digest(header) == entry.seal else {
            throw LogError(
                .tampered, "the seal of '\(name)' is whole and is not the one that the manifest vouches for",
                file: name, offset: seal.offset, next: Advice.verify)
        }
        return seal
    }
}

extension SegmentHeader.Fault {
    func logError(_ name: String) -> LogError {
        let what: String
        switch self {
        case .short: what = "segment '\(name)' is shorter than its header"
        case .magic: what = "'\(name)' does not begin as a segment does"
        case .format(let format): return .newer(format, file: name)
        case .checksum(let stored, let computed):
            what =
                "the header of '\(name)' fails its checksum (stored \(stored.hexadecimal), "
                + "computed \(computed.hexadecimal))"
        }
        return LogError(.corrupted, what, file: name, offset: 0, next: Advice.verify)
    }
}
