import LedgerLog
import LedgerModel
import LedgerSystem
import LedgerTestSupport
import SystemPackage
import Testing

@Suite struct FaultTests {
    @Test(arguments: [Errno.ioError, .noSpace])
    func `whichever call fails, nothing acknowledged is lost`(_ errno: Errno) {
        for call in [SimulatedCall.pwrite, .fdatasync, .fsync, .open, .rename, .unlink, .ftruncate] {
            var nth = 1
            while true {
                let disk = SimulatedDisk()
                disk.inject(SimulatedFault(call, nth: nth, errno))
                var work = Workload()
                work.run(Workload.long, on: disk)
                disk.clearFaults()
                expectSound(disk.copy(), work, "\(call) \(nth) \(errno), killed")
                expectSound(disk.survivorOfTheWorst(), work, "\(call) \(nth) \(errno), power cut")
                if work.failure == nil { break }
                nth += Sweep.isWhole ? 1 : 67
            }
        }
    }

    @Test func `after a sync failed the log is closed for good, and says why`() throws {
        let disk = SimulatedDisk()
        var log = try openLog(disk)
        disk.inject(SimulatedFault(.fdatasync, nth: 1, .ioError))
        _ = log.stage(.sample(1))
        let first = #expect(throws: LogError.self) { try log.commit(at: .epoch) }
        #expect(first?.code == .io)
        _ = log.stage(.sample(1))
        let second = #expect(throws: LogError.self) { try log.commit(at: .epoch) }
        #expect(second?.code == .poisoned)
        #expect(
            second?.description == """
                closed: the log was closed after an earlier failure: the disk refused to make a batch durable
                  cause: fdatasync '/home/ledger/log/0000000000000001.seg': Input/output error
                  next:  open the ledger again: it recovers to what is durable
                """)
        #expect(throws: LogError.self) { try log.rotate() }
        #expect(throws: LogError.self) { try log.prepare(at: .epoch) }
    }

    @Test func `a home on a read-only disk is not said to be missing`() throws {
        let disk = SimulatedDisk()
        var log = try openLog(disk)
        try log.close()
        disk.inject(SimulatedFault(.flock, nth: 1, .readOnlyFileSystem))
        let error = #expect(throws: LogError.self) { _ = try openLog(disk) }
        #expect(error?.what == "the disk refused to open the ledger's lock for writing")
        #expect(error?.next == "make it writable for you, or give another ledger's directory with --home")
    }

    @Test func `a full disk refuses a commit, and the log goes on once there is room`() throws {
        let disk = SimulatedDisk()
        var log = try openLog(disk)
        _ = log.stage(.sample(1))
        try log.commit(at: .epoch)
        disk.bytesMax = disk.bytesTaken
        var refused: LogError?
        var accepted = 1
        while refused == nil, accepted < 100 {
            _ = log.stage(.sample(accepted + 1))
            do throws(LogError) {
                try log.commit(at: .epoch)
                accepted += 1
            } catch { refused = error }
        }
        #expect(refused?.code == .full)
        #expect(log.failure == nil)
        disk.bytesMax = nil
        #expect(log.stage(.sample(accepted + 1)) == SequenceNumber(UInt64(accepted + 1)))
        try log.commit(at: .epoch)
        try log.close()
        #expect(try readAll(disk).count == accepted + 1)
    }

    @Test func `a ballast that holds no room is made again`() throws {
        var configuration = LogConfiguration.small
        configuration.ballastBytes = 16 << 10
        let disk = SimulatedDisk()
        var log = try openLog(disk, configuration)
        try log.close()
        try disk.open(home.appending("ballast"), .update).truncate(to: 0)
        log = try openLog(disk, configuration)
        #expect(try disk.status(of: home.appending("ballast"))?.length == configuration.ballastBytes)
        try log.close()
    }

    @Test func `the ballast lets a compaction run on a full disk`() throws {
        var configuration = LogConfiguration.small
        configuration.ballastBytes = 16 << 10
        let disk = SimulatedDisk()
        var log = try openLog(disk, configuration)
        #expect(log.recovery.hasBallast)
        for number in 1...60 {
            _ = log.stage(.sample(number))
            try log.commit(at: .epoch)
        }
        disk.bytesMax = disk.bytesTaken
        let last = log.lastSequence
        try log.rotate()
        try log.saveSnapshot(
            Snapshot(sequence: last, kind: 1, version: 1, root: log.root, content: [UInt8](repeating: 7, count: 3000)))
        #expect(try log.drop(through: last, archiving: false, snapshot: last) != nil)
        #expect(try disk.status(of: home.appending("ballast")) == nil)
        _ = log.stage(.sample(61))
        try log.commit(at: .epoch)
    }

    @Test func `no segment is finished on a full disk before the next one has its room`() throws {
        let disk = SimulatedDisk()
        var log = try openLog(disk)
        _ = log.stage(.sample(1))
        try log.commit(at: .epoch)
        try log.close()
        log = try openLog(disk)
        disk.bytesMax = disk.bytesTaken
        #expect(throws: LogError.self) { try log.rotate() }
        #expect(log.failure == nil)
        try log.close()
        log = try openLog(disk)
        #expect(log.lastSequence == SequenceNumber(1))
        disk.bytesMax = nil
        try log.rotate()
        _ = log.stage(.sample(2))
        try log.commit(at: .epoch)
        try log.close()
        #expect(try readAll(disk).count == 2)
    }

    @Test func `the ballast lets a killed ledger open on a full disk`() throws {
        var configuration = LogConfiguration.small
        configuration.ballastBytes = 16 << 10
        let disk = SimulatedDisk()
        var log = try openLog(disk, configuration)
        for number in 1...20 {
            _ = log.stage(.sample(number))
            try log.commit(at: .epoch)
        }
        let killed = disk.copy()
        killed.bytesMax = killed.bytesTaken
        log = try openLog(killed, configuration)
        #expect(log.recovery.sealed != nil && log.lastSequence == SequenceNumber(20))
        #expect(try killed.status(of: home.appending("ballast")) == nil)
    }
}
