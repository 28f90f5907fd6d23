import LedgerModel
import LedgerSystem
import LedgerTestSupport
import SystemPackage
import Testing

@testable import LedgerLog

/// Segments of format 1 as they were once written, each with what is read from it. A missing one is recorded, and the
/// run that records it fails.
@Suite struct GoldenTests {
    /// What is written, and what is done to the bytes then.
    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        var commits: [Int] = []
        var isSealed = false
        var zeroed: Range<Int> = 0..<0
        var flipped: Int?
        var testDescription: String { name }
    }

    static let rows: [Row] = [
        Row(name: "empty"),
        Row(name: "three-records", commits: [1, 2]),
        Row(name: "sealed", commits: [1, 2], isSealed: true),
        Row(name: "torn-tail", commits: [1, 2, 30], zeroed: 1024..<4096),
        Row(name: "flipped-bit", commits: [1, 2, 1], flipped: 280),
        Row(name: "lost-batch", commits: [1, 1, 1], zeroed: 176..<288),
    ]

    private static let folder = FilePath(#filePath).removingLastComponent().removingLastComponent()
        .removingLastComponent().appending("migrations/golden/format-1")

    /// The first segment of a ledger whose identity and salts are always the same.
    private static func make(_ row: Row) throws -> [UInt8] {
        let disk = SimulatedDisk()
        var log = try openLog(disk)
        for size in row.commits {
            for _ in 0..<size {
                let number = Int(log.lastSequence.rawValue) + log.stagedCount + 1
                _ = log.stage(.sample(number))
            }
            try log.commit(at: .epoch)
        }
        if row.isSealed { try log.rotate() }
        var bytes = try disk.contents(of: home.appending("log/0000000000000001.seg")) ?? []
        for place in row.zeroed where place < bytes.count { bytes[place] = 0 }
        if let flipped = row.flipped { bytes[flipped] ^= 0x10 }
        return bytes
    }

    @Test(arguments: rows) func `a golden segment is still written so, and read so`(_ row: Row) throws {
        let fileSystem = RealFileSystem()
        let path = Self.folder.appending(row.name + ".seg")
        let reportPath = Self.folder.appending(row.name + ".report.txt")
        guard let golden = try fileSystem.contents(of: path), let report = try fileSystem.contents(of: reportPath)
        else {
            let made = try Self.make(row)
            try fileSystem.replaceContents(of: path, with: made, permissions: 0o644)
            let text = try Self.report(fileSystem, path)
            try fileSystem.replaceContents(of: reportPath, with: Array(text.utf8), permissions: 0o644)
            Issue.record("recorded '\(row.name)': read it, commit it and run again")
            return
        }
        #expect(try Self.make(row) == golden, "the writer writes other bytes")
        #expect(try Self.report(fileSystem, path) == String(decoding: report, as: UTF8.self))
    }

    /// What a reader makes of a segment, a line for each thing.
    private static func report(_ fileSystem: RealFileSystem, _ path: FilePath) throws -> String {
        let file = try fileSystem.open(path, .read)
        defer { file.close() }
        let start = try file.bytes(at: 0, count: LogBounds.headerBytes)
        let header = try SegmentHeader(decoding: start.span)
        var lines = [
            "header: ledger \(header.identity), ordinal \(header.ordinal), salt \(header.salt.hexadecimal), "
                + "first \(header.first)"
        ]
        var cursor = SegmentCursor(header, file)
        var tree = MerkleTree()
        let hasher = LeafHasher(header.identity)
        var end: SegmentCursor.Step?
        while end == nil {
            let step = try cursor.step()
            guard case .batch(let batch) = step else {
                end = step
                continue
            }
            tree.append(batch.records, hasher)
            lines.append(
                "batch: byte \(batch.offset), \(batch.length) bytes, sequences \(batch.first) to \(batch.last), "
                    + "root \(batch.root) \(batch.root == tree.root ? "holds" : "fails")")
            for record in batch.records {
                lines.append(
                    "record: \(record.sequence), \(record.time), type \(record.type), version \(record.version), "
                        + "'\(String(decoding: record.payload, as: UTF8.self))'")
            }
        }
        switch end {
        case .batch, nil: break
        case .seal(let seal):
            lines.append(
                "seal: byte \(seal.offset), \(seal.count) records, root \(seal.tree.root), "
                    + "digest \(seal.digest(header))")
            return lines.joined(separator: "\n") + "\n"
        case .end: lines.append("end: byte \(cursor.offset), zeros")
        case .fault(let fault): lines.append("fault: the batch at byte \(cursor.offset) \(fault.sentence)")
        }
        let tail = try SegmentTail.examine(file, from: cursor.offset, salt: header.salt, next: cursor.next)
        switch tail {
        case .clean: lines.append("tail: clean")
        case .torn(let bytes): lines.append("tail: torn, \(bytes) bytes")
        case .damaged(let later): lines.append("tail: damaged, whole at byte \(later)")
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
