import LedgerModel
import LedgerSystem
import LedgerTestSupport
import SystemPackage
import Testing

@testable import LedgerLog

@Suite struct DamageTests {
    private static let segment = home.appending("log").appending("0000000000000001.seg")

    /// A ledger of five records in three batches, and where they end.
    private static func ledger(closing: Bool) throws -> (disk: SimulatedDisk, end: Int) {
        let disk = SimulatedDisk()
        var log = try openLog(disk)
        for sizes in [1, 3, 1] {
            for _ in 0..<sizes { _ = log.stage(.sample(Int(log.lastSequence.rawValue) + log.stagedCount + 1)) }
            try log.commit(at: .epoch)
        }
        let end = Int(log.byteCount)
        if closing { try log.close() }
        return (disk.survivorOfTheWorst(), end)
    }

    @Test func `every bit that turns in any file is noticed, and none in a record is taken for a torn write`() throws {
        let (disk, end) = try Self.ledger(closing: true)
        let paths = [Self.segment] + LogHome(home).manifests + LogHome(home).heads
        for path in paths {
            let length = Int(try disk.status(of: path)?.length ?? 0)
            for bit in Sweep.numbers(0, length * 8 - 1, slice: 173) {
                let damaged = disk.copy()
                try damaged.damage(path) { $0[bit / 8] ^= 1 << UInt8(bit % 8) }
                let found = LogVerifier.kinds(damaged, depth: .quick)
                #expect(found.count == 1, "bit \(bit) of \(path): \(found)")
                let isRecord = path == Self.segment && bit / 8 < end
                #expect(found == [isRecord ? .corruption : path == Self.segment ? .tornTail : .damagedCopy])
                if isRecord {
                    let error = #expect(throws: LogError.self) { _ = try openLog(damaged) }
                    #expect(error?.code == .corrupted, "bit \(bit)")
                }
            }
        }
    }

    @Test func `a turned bit in the last batch is corruption even when no head knows of it`() throws {
        let (disk, end) = try Self.ledger(closing: false)
        #expect(LogVerifier.kinds(disk).isEmpty)
        for bit in Sweep.numbers(LogBounds.headerBytes * 8, end * 8 - 1, slice: 61) {
            let damaged = disk.copy()
            try damaged.damage(Self.segment) { $0[bit / 8] ^= 1 << UInt8(bit % 8) }
            let error = #expect(throws: LogError.self) { _ = try openLog(damaged) }
            #expect(error?.code == .corrupted, "bit \(bit)")
        }
    }

    @Test func `every truncation of a closed log is told`() throws {
        let (disk, end) = try Self.ledger(closing: true)
        let length = Int(try disk.status(of: Self.segment)?.length ?? 0)
        for cut in Sweep.numbers(0, length - 1, slice: 37) {
            let damaged = disk.copy()
            try damaged.damage(Self.segment) { $0.removeLast($0.count - cut) }
            let found = LogVerifier.kinds(damaged, depth: .quick)
            if cut >= end {
                #expect(found.isEmpty, "cut at \(cut)")
                #expect(try openLog(damaged).lastSequence == SequenceNumber(5))
            } else {
                #expect(found.contains { !$0.isHarmless }, "cut at \(cut): \(found)")
                let error = #expect(throws: LogError.self) { _ = try openLog(damaged) }
                #expect(error.map { [.corrupted, .shorter].contains($0.code) } ?? false, "cut at \(cut)")
            }
        }
    }

    @Test func `a log whose tail was lost wholesale is shorter than its head`() throws {
        let (disk, end) = try Self.ledger(closing: true)
        let last = try #require(try lastBatch(disk))
        try disk.damage(Self.segment) { bytes in
            for place in Int(last.offset)..<end { bytes[place] = 0 }
        }
        var verifier = LogVerifier(home: home, fileSystem: disk)
        let report = try verifier.run()
        #expect(report.findings.map(\.kind) == [.shorterThanHead])
        #expect(report.findings.first?.sequences == SequenceNumber(5)...SequenceNumber(5))
        let error = #expect(throws: LogError.self) { _ = try openLog(disk) }
        #expect(
            error?.description == """
                shorter: the log ends at sequence 4 and went to 5 before
                  cause: the end of '0000000000000001.seg' was durable once and is gone
                  next:  put 'log' back from a copy of the home that goes to sequence 5; 'ledger verify' tells \
                whether it fits; without a copy, 'ledger repair --dry-run' says whether anything can be saved
                """)
    }

    @Test func `a missing segment is named, with what was in it`() throws {
        let disk = SimulatedDisk()
        var log = try openLog(disk)
        for number in 1...4 {
            _ = log.stage(.sample(number))
            try log.commit(at: .epoch)
            if number == 2 { try log.rotate() }
        }
        try log.close()
        try disk.unlink(Self.segment)
        let error = #expect(throws: LogError.self) { _ = try openLog(disk) }
        #expect(
            error?.description == """
                missing: segment '0000000000000001.seg' is not there
                  cause: the manifest counts it for sequences 1 to 2
                  next:  put '0000000000000001.seg' back from a copy of the home; 'ledger verify' tells whether it \
                fits; without a copy, 'ledger repair --dry-run' says whether anything can be saved
                """)
        #expect(LogVerifier.kinds(disk) == [.missingSegment])
    }

    @Test func `a history written anew with sums that hold is told by the head, and without it by a checkpoint`() throws
    {
        let (disk, _) = try Self.ledger(closing: true)
        let other = SimulatedDisk()
        var log = try openLog(other)
        for number in [1, 2, 3, 4, 9] { _ = log.stage(.sample(number)) }
        try log.commit(at: .epoch)
        try log.close()
        let forged = try #require(try other.contents(of: Self.segment))
        var verifier = LogVerifier(home: home, fileSystem: disk)
        let checkpoint = try verifier.run()
        try disk.damage(Self.segment) { $0 = forged }
        #expect(LogVerifier.kinds(disk) == [.tampering])
        #expect(#expect(throws: LogError.self) { _ = try openLog(disk) }?.code == .tampered)
        for path in LogHome(home).heads {
            let head = try #require(try other.contents(of: path))
            try disk.damage(path) { $0 = head }
        }
        #expect(LogVerifier.kinds(disk).isEmpty)
        var against = LogVerifier(
            home: home, fileSystem: disk, checkpoint: TreeHead(size: 5, root: checkpoint.root))
        #expect(try against.run().findings.map(\.kind) == [.tampering])
        var beyond = LogVerifier(home: home, fileSystem: disk, checkpoint: TreeHead(size: 6, root: checkpoint.root))
        #expect(try beyond.run().findings.map(\.kind) == [.shorterThanCheckpoint])
    }

    private func lastBatch(_ disk: SimulatedDisk) throws -> StoredBatch? {
        var reader = try LogReader(home: home, fileSystem: disk)
        var last: StoredBatch?
        while let batch = try reader.next() { last = batch }
        return last
    }
}
