import LedgerLog
import LedgerModel
import LedgerTestSupport
import Testing

@Suite struct ArchiveTests {
    @Test func `an archive behind dropped segments can be read, with its roots`() throws {
        let disk = SimulatedDisk()
        var log = try openLog(disk)
        for number in 1...6 {
            _ = log.stage(.sample(number))
            try log.commit(at: .epoch)
            if number % 2 == 0 { try log.rotate() }
        }
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
}
