import LedgerModel
import LedgerSystem
import LedgerTestSupport
import SystemPackage
import Testing

@testable import LedgerLog

/// What a repair cuts, keeps, mends and refuses.
@Suite struct RepairTests {
    private static let segment = home.appending("log/0000000000000003.seg")
    private static let sealed = home.appending("log/0000000000000001.seg")
    private static let quarantine = home.appending("quarantine")

    /// Two records in a sealed segment, then four batches of one record in the last; and where those begin.
    private static func ledger() throws -> (disk: SimulatedDisk, offsets: [Int]) {
        let disk = SimulatedDisk()
        var log = try openLog(disk)
        for number in 1...6 {
            _ = log.stage(.sample(number))
            try log.commit(at: .epoch)
            if number == 2 { try log.rotate() }
        }
        try log.close()
        var reader = try LogReader(home: home, fileSystem: disk, after: SequenceNumber(2))
        var offsets: [Int] = []
        while let batch = try reader.next() { offsets.append(Int(batch.offset)) }
        return (disk, offsets)
    }

    private static func repair(_ disk: any FileSystem) -> LogRepair {
        LogRepair(home: home, fileSystem: disk, configuration: .small, random: SharedChance(seed: 99).source) {
            $0.kind == 1
        }
    }

    /// The repair was to leave these many records, and the log is whole and goes on.
    private func expectWhole(_ disk: SimulatedDisk, records: Int, _ name: Comment? = nil) throws {
        // A cut between the two slots of the head leaves one, and opening writes the other again.
        let before = LogVerifier.kinds(disk)
        #expect(before.allSatisfy { $0.isHarmless }, name)
        var log = try openLog(disk, seed: 5)
        #expect(log.lastSequence == SequenceNumber(UInt64(records)), name)
        #expect(try readAll(disk).map(\.asStaged) == (1...records).map { LogRecord.sample($0) }, name)
        _ = log.stage(.sample(records + 1))
        try log.commit(at: .epoch)
        try log.close()
        #expect(LogVerifier.kinds(disk).isEmpty, name)
    }

    /// Turns several bits of the record in the batch that begins at `offset`.
    private static func spoil(_ disk: SimulatedDisk, at offset: Int) throws {
        try disk.damage(segment) { for place in offset + 40..<offset + 48 { $0[place] ^= 0x55 } }
    }

    @Test func `a whole log, a torn tail and one damaged copy are nothing to repair`() throws {
        let (disk, offsets) = try Self.ledger()
        #expect(try Self.repair(disk).examine() == nil)
        #expect(try Self.repair(disk).apply() == nil)
        try disk.damage(home.appending("head-a")) { $0[0] ^= 1 }
        try disk.damage(home.appending("manifest-b")) { $0[9] ^= 1 }
        try disk.damage(Self.segment) { bytes in
            let end = (bytes.lastIndex { $0 != 0 } ?? 0) / 8 * 8 + 8
            for place in end..<end + 24 { bytes[place] = 0x41 }
        }
        #expect(try Self.repair(disk).examine() == nil && offsets.count == 4)
        #expect(try disk.status(of: Self.quarantine) == nil)
    }

    @Test func `what stands behind the damage is cut, kept and no longer vouched for`() throws {
        let (disk, offsets) = try Self.ledger()
        try Self.spoil(disk, at: offsets[1])
        let before = try #require(try disk.contents(of: Self.segment))
        let plan = try #require(try Self.repair(disk).examine())
        #expect(plan.segment == "0000000000000003.seg" && plan.offset == UInt64(offsets[1]))
        #expect(plan.lastBefore == SequenceNumber(6) && plan.lastAfter == SequenceNumber(3))
        #expect(plan.recordsLost == 3 && plan.patches.isEmpty && !plan.isHeadUnknown)
        #expect(plan.reason.hasPrefix("the batch at byte \(offsets[1]) of '0000000000000003.seg' fails its checksum"))
        #expect(try disk.contents(of: Self.segment) == before, "looking changes nothing")
        #expect(try Self.repair(disk).apply() == plan)
        let cut = try #require(
            try disk.contents(of: Self.quarantine.appending("0000000000000003.seg-\(offsets[1]).cut")))
        #expect(cut == Array(before[offsets[1]..<offsets[1] + Int(plan.cutBytes)]))
        #expect(before[(offsets[1] + cut.count)...].allSatisfy { $0 == 0 })
        let note = try #require(
            try disk.contents(of: Self.quarantine.appending("0000000000000003.seg-\(offsets[1]).txt")))
        #expect(String(decoding: note, as: UTF8.self).contains("because   the batch at byte"))
        #expect(try Self.repair(disk).pending()?.cutBytes == plan.cutBytes)
        try Self.repair(disk).finish()
        #expect(try Self.repair(disk).pending() == nil)
        try expectWhole(disk, records: 3)
    }

    @Test func `one bit that turned anywhere is turned back, and nothing is lost`() throws {
        let (disk, offsets) = try Self.ledger()
        let end = Int(try #require(try disk.contents(of: Self.segment)).lastIndex { $0 != 0 } ?? 0)
        for bit in Sweep.numbers(0, end * 8 + 7, slice: 61) {
            let damaged = disk.copy()
            try damaged.damage(Self.segment) { $0[bit / 8] ^= 1 << UInt8(bit % 8) }
            let plan = try #require(try Self.repair(damaged).apply(), "bit \(bit)")
            #expect(plan.cutBytes == 0 && plan.recordsLost == 0, "bit \(bit)")
            #expect(Array(plan.patches.keys) == [UInt64(bit / 8)], "bit \(bit)")
            try expectWhole(damaged, records: 6, "bit \(bit)")
        }
        let twice = disk.copy()
        try twice.damage(Self.segment) {
            $0[offsets[0] + 50] ^= 4
            $0[offsets[2] + 50] ^= 8
        }
        #expect(try Self.repair(twice).apply()?.patches.count == 2)
        try expectWhole(twice, records: 6)
    }

    @Test func `one bit that turned in a finished segment is turned back, and its seal is made anew`() throws {
        let (disk, offsets) = try Self.ledger()
        let whole = try #require(try disk.contents(of: Self.sealed))
        let held = try disk.contents(of: Self.segment)
        for bit in Sweep.numbers(0, whole.count * 8 - 1, slice: 61) {
            let damaged = disk.copy()
            try damaged.damage(Self.sealed) { $0[bit / 8] ^= 1 << UInt8(bit % 8) }
            #expect(try Self.repair(damaged).apply()?.losesNothing == true, "bit \(bit)")
            #expect(try damaged.contents(of: Self.sealed) == whole, "bit \(bit)")
            #expect(try damaged.contents(of: Self.segment) == held, "bit \(bit)")
            let kept = try damaged.contents(of: Self.quarantine.appending("0000000000000001.seg-0.cut"))
            #expect(kept?[bit / 8] == whole[bit / 8] ^ (1 << UInt8(bit % 8)), "bit \(bit)")
            try expectWhole(damaged, records: 6, "bit \(bit)")
        }
        let seal = whole.count - Int(whole.span.integer(at: whole.count - 8, as: UInt32.self))
        for (name, change) in [
            ("seal of zeros", { for place in seal..<$0.count { $0[place] = 0 } }),
            ("no seal", { $0.removeLast($0.count - seal) }),
            ("half a seal", { $0.removeLast(60) }),
            ("bytes behind it", { $0 += [1, 2, 3] }),
            ("a bit, and the seal", { for place in [90, seal + 20, seal + 33] { $0[place] ^= 8 } }),
        ] as [(String, (inout [UInt8]) -> Void)] {
            let damaged = disk.copy()
            try damaged.damage(Self.sealed, change)
            try damaged.damage(Self.segment) { $0[offsets[0] + 50] ^= 4 }
            let plan = try #require(try Self.repair(damaged).apply(), "\(name)")
            #expect(plan.losesNothing && plan.changesEnd && plan.mended.map(\.name) == ["0000000000000001.seg"])
            #expect(plan.mended.allSatisfy { $0.isSealNew == (name != "bytes behind it") }, "\(name)")
            #expect(plan.reason.contains("; "), "\(name)")
            #expect(try damaged.contents(of: Self.sealed) == whole, "\(name)")
            try expectWhole(damaged, records: 6, "\(name)")
        }
    }

    @Test func `finished segments side by side are put right, also behind what a compaction took out`() throws {
        let disk = SimulatedDisk()
        var log = try openLog(disk)
        for number in 1...8 {
            _ = log.stage(.sample(number))
            try log.commit(at: .epoch)
            if number % 2 == 0 { try log.rotate() }
        }
        try log.saveSnapshot(
            Snapshot(sequence: SequenceNumber(8), kind: 1, version: 1, root: log.root, content: [1]))
        _ = try log.drop(through: SequenceNumber(2), archiving: false, snapshot: SequenceNumber(8))
        try log.close()
        let paths = [3, 5, 7].map { LogHome(home).segment(SequenceNumber($0)) }
        let whole = try paths.map { try disk.contents(of: $0) }
        for path in paths {
            try disk.damage(path) { bytes in
                bytes[100] ^= 1
                for place in bytes.count - 50..<bytes.count { bytes[place] = 0x41 }
            }
        }
        let plan = try #require(try Self.repair(disk).apply())
        #expect(plan.mended.count == 3 && plan.losesNothing && !plan.changesEnd)
        #expect(try paths.map { try disk.contents(of: $0) } == whole)
        #expect(LogVerifier.kinds(disk).isEmpty)
        #expect(try openLog(disk, seed: 5).lastSequence == SequenceNumber(8))
    }

    @Test func `a finished segment with records forged in it is not made good`() throws {
        let (disk, _) = try Self.ledger()
        try Forger(disk).rewrite(SequenceNumber(1), keepingRoots: false) { record, sequence in
            if sequence == SequenceNumber(1) { record.payload[0] ^= 1 }
        }
        #expect(#expect(throws: LogError.self) { _ = try Self.repair(disk).apply() }?.code == .tampered)
        try disk.damage(Self.sealed) { $0.removeLast(30) }
        #expect(throws: LogError.self) { _ = try Self.repair(disk).apply() }
        #expect(try disk.status(of: Self.quarantine) == nil)
    }

    @Test func `where more bits turned than are turned back, the rest is cut off and kept`() throws {
        let disk = SimulatedDisk()
        let count = SegmentMender.turnedBitsMax + 6
        var configuration = LogConfiguration.small
        configuration.segmentBytesMax = 64 << 10
        var log = try openLog(disk, configuration)
        for number in 1...count {
            _ = log.stage(.sample(number))
            try log.commit(at: .epoch)
        }
        try log.close()
        var reader = try LogReader(home: home, fileSystem: disk)
        while let batch = try reader.next() { try disk.damage(Self.sealed) { $0[Int(batch.offset) + 50] ^= 4 } }
        let plan = try #require(try Self.repair(disk).apply())
        #expect(plan.patches.count == SegmentMender.turnedBitsMax && plan.recordsLost == 6 && plan.cutBytes > 0)
        try expectWhole(disk, records: SegmentMender.turnedBitsMax)
    }

    @Test func `an end that is gone lowers the head`() throws {
        let (disk, offsets) = try Self.ledger()
        try disk.damage(Self.segment) { for place in offsets[2]..<$0.count { $0[place] = 0 } }
        let plan = try #require(try Self.repair(disk).apply())
        #expect(plan.cutBytes == 0 && plan.recordsLost == 2 && plan.lastAfter == SequenceNumber(4))
        #expect(plan.reason == "the log ends at sequence 4 and went to 6 before")
        try expectWhole(disk, records: 4)
    }

    @Test func `without any head a new one is written, and said not to know`() throws {
        let (disk, _) = try Self.ledger()
        for path in LogHome(home).heads { try disk.unlink(path) }
        let plan = try #require(try Self.repair(disk).apply())
        #expect(plan.isHeadUnknown && plan.cutBytes == 0 && plan.recordsLost == 0)
        try expectWhole(disk, records: 6)
    }

    @Test(arguments: [true, false]) func `a last segment that is gone or no segment becomes an empty one`(
        _ isGone: Bool
    ) throws {
        let (disk, _) = try Self.ledger()
        if isGone {
            try disk.unlink(Self.segment)
        } else {
            try disk.damage(Self.segment) { for place in 0..<300 { $0[place] = UInt8(truncatingIfNeeded: place) } }
        }
        let plan = try #require(try Self.repair(disk).apply())
        #expect(plan.lastAfter == SequenceNumber(2) && plan.offset == 0 && plan.recordsLost == 4)
        #expect((plan.cutBytes == 0) == isGone)
        try expectWhole(disk, records: 2)
    }

    @Test func `damage before the last segment is refused, with what to do`() throws {
        let (disk, offsets) = try Self.ledger()
        try disk.damage(Self.sealed) { $0[100] ^= 0xff }
        try Self.spoil(disk, at: offsets[1])
        let error = #expect(throws: LogError.self) { _ = try Self.repair(disk).apply() }
        #expect(error?.code == .corrupted && error?.file == "0000000000000001.seg")
        #expect(error?.detail?.hasSuffix("this is none of it") ?? false)
        #expect(
            error?.next
                == "put '0000000000000001.seg' back from a copy of the home; 'ledger verify' tells whether it fits")
        try disk.unlink(Self.sealed)
        #expect(#expect(throws: LogError.self) { _ = try Self.repair(disk).examine() }?.code == .missing)
        #expect(try disk.status(of: Self.quarantine) == nil)
    }

    @Test func `a history written anew is no damage that a cut mends`() throws {
        let (disk, _) = try Self.ledger()
        let identity = try openLog(disk.copy()).identity
        for path in LogHome(home).heads {
            let head = try #require(Head(decoding: try disk.contents(of: path) ?? [], nil))
            guard head.size == 6 else { continue }
            let other = Head(generation: head.generation, size: 6, root: .sha256([1].span))
            try other.store(disk, LogHome(home), identity)
        }
        let error = #expect(throws: LogError.self) { _ = try Self.repair(disk).examine() }
        #expect(error?.code == .tampered)
    }

    @Test func `snapshots of what is cut go too, and the one that compaction needs is not cut off`() throws {
        let (disk, offsets) = try Self.ledger()
        var log = try openLog(disk)
        let root = log.root
        try log.saveSnapshot(Snapshot(sequence: SequenceNumber(6), kind: 1, version: 1, root: root, content: [1]))
        try log.close()
        let compacted = disk.copy()
        try Self.spoil(disk, at: offsets[1])
        #expect(try Self.repair(disk).apply()?.snapshots == [SequenceNumber(6)])
        #expect(try disk.list(home.appending("snapshots")).isEmpty)
        #expect(try disk.list(Self.quarantine).contains("0000000000000006.snap"))
        try expectWhole(disk, records: 3)
        log = try openLog(compacted)
        _ = try log.drop(through: SequenceNumber(2), archiving: false, snapshot: SequenceNumber(6))
        try log.close()
        try Self.spoil(compacted, at: offsets[1])
        let error = #expect(throws: LogError.self) { _ = try Self.repair(compacted).apply() }
        #expect(error?.detail?.contains("the snapshot at 6") ?? false)
    }

    @Test func `beside a holder it is refused`() throws {
        let (disk, offsets) = try Self.ledger()
        let lock = try disk.lock(home.appending("ledger.lock"))
        try Self.spoil(disk, at: offsets[1])
        #expect(#expect(throws: LogError.self) { _ = try Self.repair(disk).apply() }?.code == .locked)
        lock?.unlock()
    }

    @Test(arguments: [false, true]) func `cut short anywhere and begun again, it comes to the same`(
        _ isFinishedToo: Bool
    ) throws {
        let (disk, offsets) = try Self.ledger()
        try Self.spoil(disk, at: offsets[1])
        if isFinishedToo { try disk.damage(Self.sealed) { for place in [90, $0.count - 9] { $0[place] ^= 2 } } }
        try disk.cutShort(Self.repair) { survivor, plan, again, name in
            #expect(plan.lastAfter == SequenceNumber(3) && again?.lastAfter ?? plan.lastAfter == plan.lastAfter, name)
            let kept = try survivor.list(Self.quarantine).filter { $0.hasSuffix(".cut") }
            #expect(!kept.isEmpty, name)
            try expectWhole(survivor, records: 3, name)
        }
    }
}
