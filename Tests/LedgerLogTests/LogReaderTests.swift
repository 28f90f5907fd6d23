import LedgerLog
import LedgerModel
import LedgerSystem
import LedgerTestSupport
import SystemPackage
import Testing

@Suite struct LogReaderTests {
    private static func append(_ log: inout WriteAheadLog, _ count: Int) throws {
        for _ in 0..<count { _ = log.stage(.sample(Int(log.lastSequence.rawValue) + log.stagedCount + 1)) }
        try log.commit(at: .epoch)
    }

    @Test(arguments: [LogReader.Verifying.checksums, .roots])
    func `a reader follows a writer through rotations`(_ verifying: LogReader.Verifying) throws {
        let disk = SimulatedDisk()
        var log = try openLog(disk)
        var reader = try LogReader(home: home, fileSystem: disk, verifying: verifying)
        var sequences: [UInt64] = []
        for round in 1...12 {
            try Self.append(&log, round)
            if round % 4 == 0 { try log.rotate() }
            while let batch = try reader.next() { sequences += batch.records.map(\.sequence.rawValue) }
            #expect(try reader.next() == nil)
            #expect(sequences == Array(1...log.lastSequence.rawValue))
        }
    }

    @Test func `reading begins after any sequence, in the middle of a batch too`() throws {
        let disk = SimulatedDisk()
        var log = try openLog(disk)
        for round in 1...9 { try Self.append(&log, round) }
        let last = log.lastSequence.rawValue
        for after in 0...last + 1 {
            for verifying in [LogReader.Verifying.checksums, .roots] {
                let records = try readAll(disk, after: SequenceNumber(after), verifying: verifying)
                #expect(records.map(\.sequence.rawValue) == Array(min(after, last) + 1..<last + 1))
            }
        }
    }

    @Test func `a batch that is half written is not there, and is there once it is whole`() throws {
        let disk = SimulatedDisk()
        var log = try openLog(disk)
        try Self.append(&log, 1)
        var reader = try LogReader(home: home, fileSystem: disk)
        #expect(try reader.next()?.last == SequenceNumber(1))
        let path = home.appending("log").appending("0000000000000001.seg")
        let start = Int(log.byteCount)
        try Self.append(&log, 2)
        let whole = try #require(try disk.contents(of: path))
        try disk.damage(path) { bytes in
            for place in start + 48..<Int(log.byteCount) { bytes[place] = 0 }
        }
        #expect(try reader.next() == nil)
        #expect(try reader.next() == nil)
        try disk.damage(path) { $0 = whole }
        #expect(try reader.next()?.last == SequenceNumber(3))
    }

    /// A reader that has read one batch of two records from a ledger whose process is killed before the head says so.
    private static func readerOfKilled(
        _ disk: SimulatedDisk, _ verifying: LogReader.Verifying = .checksums
    ) throws -> LogReader {
        var log = try openLog(disk)
        var reader = try LogReader(home: home, fileSystem: disk, verifying: verifying)
        try Self.append(&log, 2)
        #expect(try reader.next()?.last == SequenceNumber(2))
        #expect(try reader.next() == nil)
        disk.releaseAllLocks()
        return reader
    }

    @Test(arguments: [LogReader.Verifying.checksums, .roots])
    func `a reader follows into the file that recovery puts in a segment's place`(
        _ verifying: LogReader.Verifying
    ) throws {
        let disk = SimulatedDisk()
        let path = home.appending("log").appending("0000000000000001.seg")
        var reader = try Self.readerOfKilled(disk, verifying)
        let before = try disk.status(of: path)?.inode
        var log = try openLog(disk, seed: 2)
        #expect(log.recovery.sealed == "0000000000000001.seg")
        #expect(try disk.status(of: path)?.inode != before)
        #expect(try reader.next() == nil)
        try Self.append(&log, 3)
        let batch = try reader.next()
        #expect(batch?.records.map(\.sequence.rawValue) == [3, 4, 5])
        #expect(try reader.next() == nil)
        #expect(reader.root == log.root && reader.tailBytes == 0)
    }

    @Test(arguments: [false, true])
    func `a reader goes past a segment that recovery finished and a compaction took out, both unseen`(
        _ archiving: Bool
    ) throws {
        let disk = SimulatedDisk()
        var reader = try Self.readerOfKilled(disk)
        var log = try openLog(disk, seed: 2)
        try Self.append(&log, 2)
        _ = try log.drop(through: SequenceNumber(2), archiving: archiving, snapshot: SequenceNumber(2))
        #expect(try reader.next()?.records.map(\.sequence.rawValue) == [3, 4])
        #expect(try reader.next() == nil)
        #expect(reader.root == log.root)
    }

    @Test func `a reader follows into the segment that recovery makes anew, as its first batch was torn`() throws {
        let disk = SimulatedDisk()
        var log = try openLog(disk)
        try disk.damage(home.appending("log").appending("0000000000000001.seg")) { bytes in
            for place in 64..<84 { bytes[place] = 0xA5 }
        }
        var reader = try LogReader(home: home, fileSystem: disk)
        #expect(try reader.next() == nil)
        #expect(reader.tailBytes > 0)
        disk.releaseAllLocks()
        log = try openLog(disk, seed: 2)
        #expect(log.recovery.tornBytes > 0)
        #expect(try reader.next() == nil)
        #expect(reader.tailBytes == 0)
        try Self.append(&log, 2)
        #expect(try reader.next()?.last == SequenceNumber(2))
        #expect(try reader.next() == nil)
    }

    @Test func `damage in the file that recovery put in a segment's place stops a reader that followed into it`()
        throws
    {
        let disk = SimulatedDisk()
        var reader = try Self.readerOfKilled(disk)
        _ = try openLog(disk, seed: 2)
        try disk.damage(home.appending("log").appending("0000000000000001.seg")) { $0[$0.count - 60] ^= 1 }
        let error = #expect(throws: LogError.self) { try reader.next() }
        #expect(error?.code == .corrupted)
    }

    @Test func `damage in the middle stops a reader, with what is intact before it`() throws {
        let disk = SimulatedDisk()
        var log = try openLog(disk)
        for _ in 1...3 { try Self.append(&log, 1) }
        try disk.damage(home.appending("log").appending("0000000000000001.seg")) { $0[200] ^= 1 }
        var reader = try LogReader(home: home, fileSystem: disk)
        #expect(try reader.next()?.last == SequenceNumber(1))
        let error = #expect(throws: LogError.self) { try reader.next() }
        #expect(
            error?.description == """
                corrupted: the batch at byte 176 of '0000000000000001.seg' fails its checksum (stored c08014fc, \
                computed c795daaf)
                  cause: everything before it is intact (up to sequence 1); later records stand at byte 288
                  next:  'ledger verify' shows the extent, and what there is to do about it
                """)
    }

    @Test func `compaction under a reader: what was opened is read on, what is gone is named, the archive has it`()
        throws
    {
        let disk = SimulatedDisk()
        var log = try openLog(disk)
        for round in 1...6 {
            try Self.append(&log, 2)
            if round % 2 == 0 { try log.rotate() }
        }
        var slow = try LogReader(home: home, fileSystem: disk)
        #expect(try slow.next()?.last == SequenceNumber(2))
        _ = try log.drop(through: SequenceNumber(8), archiving: true, snapshot: SequenceNumber(8))
        #expect(log.baseSequence == SequenceNumber(8))
        #expect(try slow.next()?.last == SequenceNumber(4))
        let error = #expect(throws: LogError.self) { try slow.next() }
        #expect(error?.code == .dropped)
        let fresh = try LogReader(home: home, fileSystem: disk)
        #expect(fresh.baseSequence == SequenceNumber(8))
        #expect(try readAll(disk).map(\.sequence.rawValue) == [9, 10, 11, 12])
        var archive = try LogReader(home: home, fileSystem: disk, verifying: .roots, includingArchive: true)
        var sequences: [UInt64] = []
        while let batch = try archive.next() { sequences += batch.records.map(\.sequence.rawValue) }
        #expect(sequences == Array(1...12))
        var verifier = LogVerifier(home: home, fileSystem: disk, archived: .everything)
        let report = try verifier.run()
        #expect(report.findings.isEmpty)
        #expect(report.records == 12)
        #expect(report.root == log.root)
    }

    @Test func `a reader works on a disk that can not be written, and where there is no ledger it says so`() throws {
        let disk = SimulatedDisk()
        let nothing = #expect(throws: LogError.self) { _ = try LogReader(home: home, fileSystem: disk) }
        #expect(
            nothing?.description == """
                no ledger: there is no ledger at '/home/ledger'
                  next:  give its directory with --home, or start one with 'ledger add URL'
                """)
        var log = try openLog(disk)
        try Self.append(&log, 3)
        let copy = disk.copy()
        copy.isReadOnly = true
        #expect(try readAll(copy).count == 3)
        #expect(LogVerifier.kinds(copy).isEmpty)
    }

    @Test func `the real file system holds a log as the simulated one does`() throws {
        let fileSystem = RealFileSystem()
        let path = FilePath("/tmp").appending("ledger-log-\(CurrentProcess.id)")
        defer { removeTree(path) }
        var log = try WriteAheadLog.open(
            at: path, fileSystem: fileSystem, configuration: .small, random: SharedChance(seed: 1).source)
        for _ in 1...60 { try Self.append(&log, 3) }
        let root = log.root
        try log.close()
        #expect(try fileSystem.status(of: path)?.permissions == 0o700)
        #expect(try fileSystem.status(of: path.appending("manifest-a"))?.permissions == 0o600)
        var verifier = LogVerifier(home: path, fileSystem: fileSystem)
        let report = try verifier.run()
        #expect(report.findings.isEmpty)
        #expect(report.root == root)
        #expect(report.records == 180)
    }

    /// Removes a directory of the test and what is in it.
    private func removeTree(_ path: FilePath) {
        let fileSystem = RealFileSystem()
        do throws(FileError) {
            for name in try fileSystem.list(path) {
                let inner = path.appending(name)
                if try fileSystem.status(of: inner)?.kind == .directory {
                    removeTree(inner)
                } else {
                    try fileSystem.unlink(inner)
                }
            }
            try fileSystem.removeDirectory(path)
        } catch {
            Issue.record("\(error)")
        }
    }
}
