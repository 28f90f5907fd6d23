import LedgerModel
import LedgerSystem
import LedgerTestSupport
import SystemPackage
import Testing

@testable import LedgerLog

/// Every kind of damage to every kind of file, each by itself: the class it is given, and that nothing is ever cut off
/// in silence.
@Suite struct DamageProofTests {
    private static let archive = home.appending("archive")
    private static let log = home.appending("log")

    /// A closed ledger: a segment in the archive, two finished ones, one in use, two snapshots.
    static func ledger(seed: UInt64 = 1, commitsInTheEnd sizes: [Int] = [1, 2, 1]) throws -> SimulatedDisk {
        let disk = SimulatedDisk()
        var log = try openLog(disk, seed: seed)
        try commit([1, 3, 2], to: &log)
        try save(&log)
        try log.rotate()
        let archived = log.lastSequence
        _ = try log.drop(through: archived, archiving: true, snapshot: archived)
        try commit([2, 1, 4], to: &log)
        try log.rotate()
        try commit([3, 3], to: &log)
        try save(&log)
        try log.rotate()
        try commit(sizes, to: &log)
        try log.close()
        return disk
    }

    private static func commit(_ sizes: [Int], to log: inout WriteAheadLog) throws {
        for size in sizes {
            for _ in 0..<size { _ = log.stage(.sample(Int(log.lastSequence.rawValue) + log.stagedCount + 1)) }
            try log.commit(at: .epoch)
        }
    }

    private static func save(_ log: inout WriteAheadLog) throws {
        let (last, root) = (log.lastSequence, log.root)
        try log.saveSnapshot(
            Snapshot(sequence: last, kind: 1, version: 1, root: root, content: Array("state \(last)".utf8)))
    }

    private static func path(_ first: UInt64) -> FilePath { LogHome(home).segment(SequenceNumber(first)) }

    private static func kinds(_ disk: SimulatedDisk, archive: Bool = true) throws -> Set<LogFinding.Kind> {
        var verifier = LogVerifier(home: home, fileSystem: disk, archived: archive ? .everything : .nothing)
        return Set(try verifier.run().findings.map(\.kind))
    }

    @Test func `each kind of damage has its class`() throws {
        let whole = try Self.ledger()
        #expect(try Self.kinds(whole).isEmpty)
        func check(
            _ expected: Set<LogFinding.Kind>, _ name: String, _ damage: (SimulatedDisk) throws -> Void
        ) throws {
            let disk = whole.copy()
            try damage(disk)
            #expect(try Self.kinds(disk) == expected, "\(name)")
            var parallel = LogVerifier(home: home, fileSystem: disk, archived: .everything, threads: 3)
            var alone = LogVerifier(home: home, fileSystem: disk, archived: .everything)
            #expect(try parallel.run() == alone.run(), "\(name): threads change nothing")
        }
        func flip(_ path: FilePath, _ place: Int, from end: Bool = false) -> (SimulatedDisk) throws -> Void {
            { try $0.damage(path) { bytes in bytes[end ? bytes.count - place : place] ^= 4 } }
        }
        try check([.corruption], "header", flip(Self.path(7), 20))
        try check([.corruption], "length", flip(Self.path(7), 64))
        try check([.corruption], "payload", flip(Self.path(14), 64 + 60))
        try check([.corruption], "root", flip(Self.path(20), 64 + 100))
        try check([.corruption], "seal", flip(Self.path(7), 40, from: true))
        try check([.corruption], "archived payload", flip(Self.archive.appending("0000000000000001.seg.gz"), 64 + 60))
        try check([.damagedCopy], "one manifest", flip(LogHome(home).manifests[0], 70))
        try check([.damagedCopy], "one head", flip(LogHome(home).heads[1], 50))
        try check([.corruption], "both manifests") { disk in
            for path in LogHome(home).manifests { try flip(path, 70)(disk) }
        }
        try check([.corruption], "both heads") { disk in for path in LogHome(home).heads { try flip(path, 50)(disk) } }
        try check([.corruption], "the snapshot that is needed", flip(LogHome(home).snapshot(SequenceNumber(6)), 90))
        try check([.damagedCopy], "a snapshot that is a cache", flip(LogHome(home).snapshot(SequenceNumber(19)), 90))
        try check([.missingSnapshot], "no snapshot") { try $0.unlink(LogHome(home).snapshot(SequenceNumber(6))) }
        try check([.missingSegment], "dropped") { try $0.unlink(Self.path(14)) }
        try check([.missingSegment], "dropped from the archive") {
            try $0.unlink(Self.archive.appending("0000000000000001.seg.gz"))
        }
        try check([.missingSegment], "the last dropped") { try $0.unlink(Self.path(20)) }
        try check([.tampering], "doubled") { disk in
            let bytes = try #require(try disk.contents(of: Self.path(7)))
            try disk.damage(Self.path(14)) { $0 = bytes }
        }
        try check([.corruption], "doubled under a name of its own") { disk in
            let bytes = try #require(try disk.contents(of: Self.path(7)))
            try disk.replaceContents(of: Self.path(7000), with: bytes, permissions: 0o600)
        }
        try check([.tampering], "swapped") { disk in
            let (one, other) = (try disk.contents(of: Self.path(7)), try disk.contents(of: Self.path(14)))
            try disk.damage(Self.path(7)) { $0 = other ?? [] }
            try disk.damage(Self.path(14)) { $0 = one ?? [] }
        }
        try check([.tampering], "foreign") { disk in
            let foreign = try #require(try Self.ledger(seed: 9).contents(of: Self.path(14)))
            try disk.damage(Self.path(14)) { $0 = foreign }
        }
        try check([.corruption], "cut within a finished segment") { disk in
            try disk.damage(Self.path(14)) { $0.removeLast(200) }
        }
        try check([.shorterThanHead], "the last batch zeroed") { disk in
            var last: UInt64 = 0
            var reader = try LogReader(home: home, fileSystem: disk)
            while let batch = try reader.next() { last = batch.offset }
            try disk.damage(Self.path(20)) { bytes in for place in Int(last)..<bytes.count { bytes[place] = 0 } }
        }
    }

    @Test func `an edit with its checksums made good is tampering, wherever it stops`() throws {
        let whole = try Self.ledger()
        let edit: (inout LogRecord, SequenceNumber) -> Void = { record, sequence in
            if sequence.rawValue % 3 == 2 { record.payload[3] ^= 1 }
        }
        for first in [UInt64(7), 14, 20] {
            for keepingRoots in [true, false] {
                let disk = whole.copy()
                try Forger(disk).rewrite(SequenceNumber(first), keepingRoots: keepingRoots, edit: edit)
                #expect(try Self.kinds(disk) == [.tampering], "\(first), roots kept: \(keepingRoots)")
            }
        }
    }

    @Test func `who writes the whole log anew is told by a checkpoint, and who cuts it short too`() throws {
        let disk = try Self.ledger()
        var verifier = LogVerifier(home: home, fileSystem: disk)
        let report = try verifier.run()
        let checkpoint = TreeHead(size: report.lastSequence.rawValue, root: report.root)
        func against(_ disk: SimulatedDisk, archive: Bool = false) throws -> [LogFinding.Kind] {
            var verifier = LogVerifier(
                home: home, fileSystem: disk, archived: archive ? .everything : .nothing, checkpoint: checkpoint)
            return try verifier.run().findings.map(\.kind)
        }
        #expect(try against(disk).isEmpty)
        // Snapshots vouch for roots, too: the attacker takes the one away that nothing needs.
        let forged = disk.copy()
        try forged.unlink(LogHome(home).snapshot(SequenceNumber(19)))
        try Forger(forged).rewriteAll { record, sequence in
            if sequence == SequenceNumber(15) { record.payload[0] ^= 1 }
        }
        #expect(try Self.kinds(forged).isEmpty)
        #expect(try against(forged) == [.tampering])
        let kept = disk.copy()
        try Forger(kept).rewriteAll { record, sequence in
            if sequence == SequenceNumber(15) { record.payload[0] ^= 1 }
        }
        #expect(try Self.kinds(kept) == [.tampering], "a snapshot knew the root")
        // A log that goes on after the checkpoint is fine, also once what it names is in the archive.
        var log = try openLog(disk)
        for number in 24...30 { _ = log.stage(.sample(number)) }
        try log.commit(at: .epoch)
        try log.rotate()
        let cut = disk.copy()
        #expect(try against(disk).isEmpty)
        let last = log.lastSequence
        try Self.save(&log)
        _ = try log.drop(through: last, archiving: true, snapshot: last)
        try log.close()
        #expect(try against(disk) == [.unreachedCheckpoint])
        #expect(try against(disk, archive: true).isEmpty)
        try Self.cut(cut, after: 19)
        #expect(try Self.kinds(cut).isEmpty, "whoever cuts the head, too, is told by a checkpoint only")
        #expect(try against(cut) == [.shorterThanCheckpoint])
    }

    /// Lets the log end with the segment that ends at `size`, as if it had never gone on.
    private static func cut(_ disk: SimulatedDisk, after size: UInt64) throws {
        var manifest = try Manifest.load(disk, LogHome(home)).manifest.raised()
        let last = try #require(manifest.segments.lastIndex { $0.last.rawValue == size })
        let root = manifest.segments[last].root
        for entry in manifest.segments[(last + 2)...] { try disk.unlink(LogHome(home).segment(entry.first)) }
        manifest.segments.removeSubrange((last + 2)...)
        manifest.segments[last + 1] = .active(SequenceNumber(size + 1))
        let header = SegmentHeader(
            identity: manifest.identity, ordinal: UInt32(last + 2), salt: 7, first: SequenceNumber(size + 1),
            previousSeal: manifest.segments[last].seal)
        try disk.damage(path(size + 1)) { $0 = header.encoded + [UInt8](repeating: 0, count: 1024) }
        try manifest.store(disk, LogHome(home))
        for generation in UInt64(1_000)...1_001 {
            try Head(generation: generation, size: size, root: root).store(disk, LogHome(home), manifest.identity)
        }
    }
}
