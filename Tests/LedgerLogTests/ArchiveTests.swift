import LedgerLog
import LedgerModel
import LedgerTestSupport
import Testing

@Suite struct ArchiveTests {
    /// Six records in three finished segments.
    private static func log(on disk: SimulatedDisk) throws -> WriteAheadLog {
        var log = try openLog(disk)
        for number in 1...6 {
            _ = log.stage(.sample(number))
            try log.commit(at: .epoch)
            if number % 2 == 0 { try log.rotate() }
        }
        return log
    }

    @Test func `an archive behind dropped segments can be read, with its roots`() throws {
        let disk = SimulatedDisk()
        var log = try Self.log(on: disk)
        _ = try log.drop(through: SequenceNumber(2), archiving: false, snapshot: SequenceNumber(2))
        _ = try log.drop(through: SequenceNumber(6), archiving: true, snapshot: SequenceNumber(6))
        _ = log.stage(.sample(7))
        try log.commit(at: .epoch)
        var reader = try LogReader(home: home, fileSystem: disk, verifying: .roots, includingArchive: true)
        #expect(reader.baseSequence == SequenceNumber(2))
        var sequences: [UInt64] = []
        while let batch = try reader.next() { sequences += batch.records.map(\.sequence.rawValue) }
        #expect(sequences == [3, 4, 5, 6, 7])
    }

    @Test func `an archive from before dropped segments is read, and what is in it is proved`() throws {
        let disk = SimulatedDisk()
        var log = try Self.log(on: disk)
        let root = try LogReader.root(disk, through: SequenceNumber(2))
        _ = try log.drop(through: SequenceNumber(2), archiving: true, snapshot: SequenceNumber(2))
        _ = try log.drop(through: SequenceNumber(4), archiving: false, snapshot: SequenceNumber(4))
        let whole = try LogReader(home: home, fileSystem: disk, includingArchive: true)
        #expect(whole.stretches == [SequenceNumber(1)...SequenceNumber(2), SequenceNumber(5)...SequenceNumber(.max)])
        #expect(whole.baseSequence == SequenceNumber(4))
        #expect(try LogReader(home: home, fileSystem: disk).stretches.count == 1)
        #expect(try LogReader.root(disk, through: SequenceNumber(2)) == root)
        var prover = try LogProver(home: home, fileSystem: disk)
        #expect(try prover.inclusion(of: SequenceNumber(1), in: 2).head.root == root)
        #expect(try prover.consistency(from: 1, to: 2).new.root == root)
        // The hash of what was dropped is on no way from it to a later root.
        #expect(throws: LogError.self) { _ = try prover.inclusion(of: SequenceNumber(1), in: 6) }
    }
}

extension LogReader {
    /// The root after the record at `last`, computed from every record before it.
    fileprivate static func root(_ disk: SimulatedDisk, through last: SequenceNumber) throws -> TreeHash {
        var reader = try LogReader(
            home: home, fileSystem: disk, through: last, verifying: .roots, includingArchive: true)
        while reader.end < last, try reader.next() != nil {}
        return reader.root
    }
}
