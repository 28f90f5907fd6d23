import LedgerModel
import LedgerSystem
import LedgerTestSupport
import SystemPackage
import Testing

@testable import LedgerLog

/// What a repair does where a finished segment can neither be read nor put right.
@Suite struct LostPastTests {
    private static let quarantine = home.appending("quarantine")

    /// Nine records in segments of two, and snapshots of the fourth, the seventh and the last, which means nothing to
    /// the engine.
    private static func ledger() throws -> SimulatedDisk {
        let disk = SimulatedDisk()
        var log = try openLog(disk)
        for number in 1...9 {
            _ = log.stage(.sample(number))
            try log.commit(at: .epoch)
            guard [4, 7, 9].contains(number) else {
                if number % 2 == 0 { try log.rotate() }
                continue
            }
            let kind: UInt8 = number == 9 ? 2 : 1
            try log.saveSnapshot(
                Snapshot(sequence: log.lastSequence, kind: kind, version: 1, root: log.root, content: [1]))
            if number % 2 == 0 { try log.rotate() }
        }
        try log.close()
        return disk
    }

    private static func segment(_ first: UInt64) -> FilePath { LogHome(home).segment(SequenceNumber(first)) }

    /// Turns several bits of a record.
    private static func spoil(_ disk: SimulatedDisk, _ first: UInt64) throws {
        try disk.damage(segment(first)) { for place in 100..<120 { $0[place] ^= 0x55 } }
    }

    private static func repair(_ disk: any FileSystem) -> LogRepair {
        LogRepair(home: home, fileSystem: disk, configuration: .small, random: SharedChance(seed: 99).source) {
            $0.kind == 1
        }
    }

    /// The log begins behind `through`, holds all that comes after, is whole and goes on.
    private func expectBegun(
        _ disk: SimulatedDisk, behind through: UInt64, archived: [UInt64], _ name: Comment? = nil
    ) throws {
        var log = try openLog(disk, seed: 5)
        #expect(log.lastSequence == SequenceNumber(9), name)
        _ = log.stage(.sample(10))
        try log.commit(at: .epoch)
        try log.close()
        #expect(LogVerifier.kinds(disk).isEmpty, name)
        let reader = try LogReader(home: home, fileSystem: disk)
        #expect(reader.baseSequence == SequenceNumber(through) && reader.baseSnapshot == SequenceNumber(7), name)
        #expect(
            try readAll(disk).map(\.asStaged) == (Int(through) + 1...10).map { LogRecord.sample($0) }, name)
        let names = archived.map { SegmentName.name(SequenceNumber($0)) + ".gz" }
        #expect(try disk.list(home.appending("archive")).sorted() == names, name)
        var archive = LogVerifier(home: home, fileSystem: disk, archived: .everything)
        // Nothing tells any longer what the fifth goes on from when all of the third is gone.
        #expect(try archive.run().findings.map(\.kind) == (archived.contains(5) ? [.unknownStart] : []), name)
    }

    @Test func `a past that can not be read is let go of where a snapshot stands for it`() throws {
        let whole = try Self.ledger()
        for (name, lost, through, archived, damage) in [
            ("spoiled", [3], 4, [1], { try Self.spoil($0, 3) }),
            ("the first spoiled", [1], 2, [], { try Self.spoil($0, 1) }),
            ("gone: the seal of the next tells the tree", [3], 6, [1, 5], { try $0.unlink(Self.segment(3)) }),
            (
                "refused by the disk", [3], 6, [1, 5],
                { disk in
                    let path = Self.segment(3)
                    disk.inject(SimulatedFault(.pread, .ioError, forGood: true) { $0 == path })
                }
            ),
            (
                "two, and a bit of a third", [1, 3], 4, [],
                { disk in
                    for first in [1, 3] { try Self.spoil(disk, UInt64(first)) }
                    try disk.damage(Self.segment(5)) { $0[90] ^= 1 }
                }
            ),
            (
                "behind one that is put right", [3], 4, [1],
                { disk in
                    try disk.damage(Self.segment(1)) { $0.removeLast(9) }
                    try Self.spoil(disk, 3)
                }
            ),
        ] as [(String, [UInt64], UInt64, [UInt64], (SimulatedDisk) throws -> Void)] {
            let disk = whole.copy()
            try damage(disk)
            let held = try disk.status(of: Self.segment(3)).map(\.length)
            let plan = try #require(try Self.repair(disk).examine(), "\(name)")
            #expect(plan.past?.records.map(\.lowerBound) == lost.map { SequenceNumber($0) }, "\(name)")
            #expect(plan.past?.through == SequenceNumber(through) && plan.past?.snapshot == SequenceNumber(7))
            #expect(!plan.losesNothing && plan.cutBytes == 0 && plan.recordsLost == 0, "\(name)")
            #expect(try disk.status(of: Self.quarantine) == nil, "\(name): looking changes nothing")
            #expect(try Self.repair(disk).apply() == plan, "\(name)")
            let kept = try disk.list(Self.quarantine).filter { $0.hasSuffix(".cut") }
            #expect(kept.contains("0000000000000003.seg-0.cut") == (lost.contains(3) && held != nil), "\(name)")
            #expect(try Self.repair(disk).examine() == nil, "\(name)")
            #expect(try Self.repair(disk).pending()?.lastAfter == SequenceNumber(9), "\(name)")
            try expectBegun(disk, behind: through, archived: archived, "\(name)")
        }
    }

    /// Has the archive hold copies of finished segments, as a compaction leaves them that thins what stays.
    private static func archive(_ disk: SimulatedDisk) throws {
        var log = try openLog(disk)
        var compaction = try log.compaction(through: .zero, before: nil, archiving: true)
        compaction.thinned = log.finished
        for entry in compaction.archived {
            var copying = try compaction.archiving(entry)
            while try copying.step() > 0 {}
            try copying.finish()
        }
        try log.close()
    }

    @Test func `what the archive has whole counts, and what stands there otherwise is made anew`() throws {
        let whole = try Self.ledger()
        try Self.archive(whole)
        let copies = [1, 3].map { home.appending("archive").appending(SegmentName.name(SequenceNumber($0)) + ".gz") }
        for (name, lost, through, damage) in [
            ("the damaged one is in the archive", [], 4, { try Self.spoil($0, 3) }),
            ("so is one that is gone", [], 4, { try $0.unlink(Self.segment(3)) }),
            (
                "its copy is damaged, too, and so is that of a whole one", [3], 4,
                { disk in
                    try Self.spoil(disk, 3)
                    for copy in copies { try disk.damage(copy) { for place in 30..<60 { $0[place] ^= 0x55 } } }
                }
            ),
            (
                "the copy of a whole one is of another segment", [], 4,
                { disk in
                    try Self.spoil(disk, 3)
                    let other = try #require(try disk.contents(of: copies[1]))
                    try disk.damage(copies[0]) { $0 = other }
                }
            ),
        ] as [(String, [UInt64], UInt64, (SimulatedDisk) throws -> Void)] {
            let disk = whole.copy()
            try damage(disk)
            let plan = try #require(try Self.repair(disk).apply(), "\(name)")
            #expect(plan.past?.records.map(\.lowerBound) == lost.map { SequenceNumber($0) }, "\(name)")
            #expect(plan.past?.through == SequenceNumber(through), "\(name)")
            let log = try openLog(disk, seed: 5)
            #expect(log.lastSequence == SequenceNumber(9), "\(name)")
            var verifier = LogVerifier(home: home, fileSystem: disk, archived: .everything)
            #expect(try verifier.run().findings.isEmpty, "\(name)")
            let first = try LogReader(
                home: home, fileSystem: disk, through: SequenceNumber(1), includingArchive: true)
            #expect(first.baseSequence == .zero, "\(name): the first segment can be read")
        }
    }

    @Test func `what was agreed to is done, and nothing else`() throws {
        let disk = try Self.ledger()
        try disk.damage(Self.segment(3)) { $0[90] ^= 1 }
        let agreed = try #require(try Self.repair(disk).examine())
        try Self.spoil(disk, 3)
        let before = try disk.contents(of: Self.segment(3))
        let error = #expect(throws: LogError.self) { _ = try Self.repair(disk).apply(expecting: agreed) }
        #expect(error?.what == "the log reads otherwise than a moment ago, and nothing was done")
        #expect(try disk.contents(of: Self.segment(3)) == before && disk.status(of: Self.quarantine) == nil)
        let now = try Self.repair(disk).examine()
        #expect(try Self.repair(disk).apply(expecting: now) == now)
    }

    @Test func `an end that is cut off does not take the snapshot along that is to stand for the past`() throws {
        let disk = try Self.ledger()
        try Self.spoil(disk, 3)
        try disk.damage(Self.segment(9)) { for place in 64..<$0.count { $0[place] = 0 } }
        let plan = try #require(try Self.repair(disk).apply())
        #expect(plan.recordsLost == 1 && plan.lastAfter == SequenceNumber(8) && plan.snapshots == [SequenceNumber(9)])
        #expect(plan.past?.snapshot == SequenceNumber(7))
        let log = try openLog(disk, seed: 5)
        #expect(log.lastSequence == SequenceNumber(8))
        #expect(LogVerifier.kinds(disk).isEmpty)
    }

    @Test func `it is refused where nothing stands for it, and where nobody knows how the log went on`() throws {
        let whole = try Self.ledger()
        for (name, code, damage) in [
            ("the last before the end, without its seal", .missing, { try $0.unlink(Self.segment(7)) }),
            ("behind the last usable snapshot", .corrupted, { try Self.spoil($0, 7) }),
            (
                "without snapshots", .corrupted,
                { disk in
                    for sequence in [UInt64(4), 7] { try disk.unlink(LogHome(home).snapshot(SequenceNumber(sequence))) }
                    try Self.spoil(disk, 1)
                }
            ),
            (
                "forged elsewhere", .tampered,
                { disk in
                    try Self.spoil(disk, 1)
                    try Forger(disk).rewrite(SequenceNumber(5)) { record, _ in record.payload[0] ^= 1 }
                }
            ),
        ] as [(String, LogError.Code, (SimulatedDisk) throws -> Void)] {
            let disk = whole.copy()
            try damage(disk)
            let error = #expect(throws: LogError.self, "\(name)") { _ = try Self.repair(disk).apply() }
            #expect(error?.code == code, "\(name): \(String(describing: error))")
            #expect(try disk.status(of: Self.quarantine) == nil, "\(name)")
        }
    }

    @Test func `cut short anywhere, what can not be read has left the log in the end`() throws {
        let whole = try Self.ledger()
        try Self.spoil(whole, 3)
        try whole.damage(Self.segment(5)) { $0[90] ^= 1 }
        let lostBytes = try whole.status(of: Self.segment(3))?.length
        try whole.cutShort(Self.repair) { survivor, plan, _, name in
            #expect(plan.mended.count == 1 && plan.lastAfter == SequenceNumber(9), name)
            #expect(try Self.repair(survivor).pending()?.cutBytes == lostBytes, name)
            let kept = try survivor.list(Self.quarantine).filter { $0.hasSuffix(".cut") }
            #expect(kept.contains("0000000000000003.seg-0.cut"), name)
            try expectBegun(survivor, behind: 4, archived: [1], name)
        }
    }
}
