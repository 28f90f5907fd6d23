import LedgerModel
import LedgerSystem
import LedgerTestSupport
import Testing

@testable import LedgerLog

/// Commits of more than one batch on a disk that is too small for them.
struct LargeCommitTests {
    /// Stages 40 MiB, which are two batches, on a disk with so much room, and commits.
    private static func commit(room: UInt64, then look: (inout WriteAheadLog, SimulatedDisk) throws -> Void) throws {
        let disk = SimulatedDisk()
        var configuration = LogConfiguration()
        (configuration.ballastBytes, configuration.zeroStepBytesMin) = (4096, 4096)
        var log = try openLog(disk, configuration)
        disk.bytesMax = disk.bytesTaken + room
        for number in 1...5 {
            var record = LogRecord.sample(number)
            record.payload = [UInt8](repeating: UInt8(number), count: 8 << 20)
            _ = log.stage(record)
        }
        #expect { try log.commit(at: .epoch) } throws: { ($0 as? LogError)?.code == .full }
        disk.bytesMax = nil
        try look(&log, disk)
    }

    @Test func `without room for the first batch nothing is written, and the log goes on`() throws {
        try Self.commit(room: 8 << 20) { log, _ in
            _ = log.stage(.sample(1))
            try log.commit(at: .epoch)
            #expect(log.lastSequence == SequenceNumber(1))
            try log.close()
        }
    }

    @Test func `without room for the second the log is closed, and what is durable is on record`() throws {
        try Self.commit(room: 37 << 20) { log, disk in
            #expect(throws: LogError.self) { try log.rotate() }
            let again = try openLog(disk.survivorOfTheWorst(), seed: 2)
            #expect((SequenceNumber(1)..<SequenceNumber(5)).contains(again.lastSequence), "\(again.lastSequence)")
        }
    }
}
