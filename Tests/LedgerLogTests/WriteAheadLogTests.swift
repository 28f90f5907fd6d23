import LedgerLog
import LedgerModel
import LedgerSystem
import LedgerTestSupport
import SystemPackage
import Testing

@Suite struct WriteAheadLogTests {
    @Test func `what was committed is read back after a close, in order and whole`() throws {
        let disk = SimulatedDisk()
        var log = try openLog(disk)
        #expect(log.recovery.isNew)
        for number in 1...100 {
            #expect(log.stage(.sample(number)) == SequenceNumber(UInt64(number)))
            if number % 3 == 0 { try log.commit(at: .epoch) }
        }
        try log.commit(at: .epoch)
        let root = log.root
        try log.close()
        let records = try readAll(disk)
        #expect(records.map(\.asStaged) == (1...100).map { .sample($0) })
        #expect(records.map(\.sequence.rawValue) == Array(1...100))
        let again = try openLog(disk)
        #expect(again.recovery.isClean)
        #expect(again.root == root)
        #expect(again.lastSequence == SequenceNumber(100))
    }

    @Test func `a log that was closed cleanly is appended to where it ended`() throws {
        let disk = SimulatedDisk()
        for number in 1...5 {
            var log = try openLog(disk, seed: UInt64(number))
            _ = log.stage(.sample(number))
            try log.commit(at: .epoch)
            try log.close()
        }
        #expect(try disk.list(home.appending("log")) == ["0000000000000001.seg"])
        #expect(try readAll(disk).map(\.asStaged) == (1...5).map { .sample($0) })
    }

    @Test func `one holder at a time`() throws {
        let disk = SimulatedDisk()
        let log = try openLog(disk)
        let error = #expect(throws: LogError.self) { _ = try openLog(disk) }
        #expect(error?.code == .locked)
        #expect(log.lastSequence == .zero)
    }
}
