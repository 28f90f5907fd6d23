import LedgerModel
import LedgerSystem
import LedgerTestSupport
import Synchronization
import SystemPackage
import Testing

@testable import LedgerLog

/// The end of a log as a reader without the lock meets it: what was never written, and what is gone.
@Suite struct LogEndTests {
    private static let segment = home.appending("log/0000000000000001.seg")

    /// Five batches of one record, the second and the fourth the last of their segments; and where the last begins.
    private static func ledger() throws -> (disk: SimulatedDisk, lastAt: Int) {
        let disk = SimulatedDisk()
        var log = try openLog(disk)
        for number in 1...4 {
            _ = log.stage(.sample(number))
            try log.commit(at: .epoch)
            if number % 2 == 0 { try log.rotate() }
        }
        _ = log.stage(.sample(5))
        try log.commit(at: .epoch)
        try log.close()
        return (disk, LogBounds.headerBytes)
    }

    private static let modes: [(LogReader.Verifying, UInt64)] = [
        (.checksums, 0), (.roots, 0), (.checksums, 4), (.checksums, 99),
    ]

    @Test(arguments: modes)
    func `an end that the head knows and that is gone is told`(_ verifying: LogReader.Verifying, _ after: UInt64) throws
    {
        let (disk, lastAt) = try Self.ledger()
        try disk.damage(home.appending("log/0000000000000005.seg")) { bytes in
            for place in lastAt..<bytes.count { bytes[place] = 0 }
        }
        let error = #expect(throws: LogError.self) {
            _ = try readAll(disk, after: SequenceNumber(after), verifying: verifying)
        }
        #expect(
            error?.description == """
                shorter: the log ends at sequence 4 and went to 5 before
                  cause: the end of '0000000000000005.seg' was durable once and is gone
                  next:  put 'log' back from a copy of the home that goes to sequence 5; 'ledger verify' tells \
                whether it fits; without a copy, 'ledger repair --dry-run' says whether anything can be saved
                """)
        #expect(#expect(throws: LogError.self) { _ = try openLog(disk) } == error)
    }

    @Test func `a torn end that was durable before is corruption, and one that was not is none`() throws {
        let (disk, lastAt) = try Self.ledger()
        try disk.damage(home.appending("log/0000000000000005.seg")) { bytes in
            for place in lastAt + 40..<bytes.count { bytes[place] = 0 }
        }
        let error = #expect(throws: LogError.self) { _ = try readAll(disk) }
        #expect(error?.code == .corrupted)
        #expect(#expect(throws: LogError.self) { _ = try openLog(disk) } == error)
        let slots = try LogHome(home).heads.map { ($0, try Head.slot($0, disk)) }
        for (path, head) in slots where head.size == 5 { try disk.unlink(path) }
        var reader = try LogReader(home: home, fileSystem: disk, verifying: .roots)
        while try reader.next() != nil {}
        #expect(reader.end == SequenceNumber(4))
        #expect(reader.tailBytes == 40)
    }

    @Test func `without a head nobody can say whether an end was acknowledged: nothing is read or dropped`() throws {
        for isThere in [false, true] {
            let (disk, lastAt) = try Self.ledger()
            let path = home.appending("log/0000000000000005.seg")
            try disk.damage(path) { bytes in for place in lastAt + 40..<bytes.count { bytes[place] = 0 } }
            for head in LogHome(home).heads {
                if isThere { try disk.damage(head) { $0[0] ^= 1 } } else { try disk.unlink(head) }
            }
            let held = try disk.contents(of: path)
            let error = #expect(throws: LogError.self) { _ = try openLog(disk) }
            #expect(error?.code == (isThere ? .corrupted : .missing))
            #expect(error?.description.contains("'head-a' and 'head-b' are") ?? false)
            #expect(error?.next.contains("'ledger verify' tells whether it fits") ?? false)
            #expect(#expect(throws: LogError.self) { _ = try readAll(disk) } == error)
            #expect(LogVerifier.kinds(disk) == [isThere ? .corruption : .missingHead, .tornTail])
            #expect(try disk.contents(of: path) == held)
        }
    }

    @Test func `without a manifest a ledger is damaged, also when a head is all that is left of it`() throws {
        for isLogThere in [true, false] {
            let (disk, _) = try Self.ledger()
            for path in LogHome(home).manifests { try disk.unlink(path) }
            if !isLogThere {
                for name in try disk.list(LogHome(home).log) { try disk.unlink(LogHome(home).log.appending(name)) }
            }
            let error = #expect(throws: LogError.self) { _ = try openLog(disk) }
            #expect(error?.code == .corrupted)
            #expect(#expect(throws: LogError.self) { _ = try readAll(disk) } == error)
            #expect(LogVerifier.kinds(disk) == [.corruption])
        }
    }

    @Test(arguments: [true, false])
    func `no cut leaves a manifest without a head: in the first start, and while a lost slot is written again`(
        isFirst: Bool
    ) throws {
        var operation = 0
        while true {
            let disk = isFirst ? SimulatedDisk() : try Self.ledger().disk
            if !isFirst {
                let slots = try LogHome(home).heads.map { ($0, try Head.slot($0, disk)) }
                for (path, head) in slots where head.size < 5 { try disk.unlink(path) }
                try disk.synchronizeDirectory(home)
            }
            disk.crash(after: disk.operations + operation)
            var isDone = false
            do throws(LogError) {
                _ = try openLog(disk)
                isDone = true
            } catch {
                // The power was cut: what is left is looked at below.
            }
            for survivor in disk.survivors() {
                let last = try openLog(survivor).lastSequence
                #expect(last == SequenceNumber(isFirst ? 0 : 5), "cut \(operation)")
            }
            if isDone { return }
            operation += 1
        }
    }

    @Test(arguments: [LogReader.Verifying.checksums, .roots])
    func `a reader knows the end, its root and that nothing stands behind it`(_ verifying: LogReader.Verifying) throws {
        let (disk, _) = try Self.ledger()
        for after in [UInt64(0), 3, 5, 9] {
            var reader = try LogReader(
                home: home, fileSystem: disk, after: SequenceNumber(after), verifying: verifying)
            while try reader.next() != nil {}
            #expect(reader.end == SequenceNumber(5))
            #expect(reader.root == (try openLog(disk.copy()).root))
            #expect(reader.tailBytes == 0)
        }
    }

    @Test func `a head that advances while the end is looked at is no loss`() throws {
        let disk = SimulatedDisk()
        let meeting = MeetingFileSystem(disk)
        let log = Mutex(try openLog(disk))
        var reader = try LogReader(home: home, fileSystem: meeting, verifying: .roots)
        #expect(try reader.next() == nil)
        meeting.before(opening: LogHome(home).heads[0]) {
            log.withLock { log in
                do throws(LogError) {
                    _ = log.stage(.sample(1))
                    try log.commit(at: .epoch)
                    try log.rotate()
                } catch { Issue.record("\(error)") }
            }
        }
        #expect(try reader.next()?.last == SequenceNumber(1))
        #expect(try reader.next() == nil)
    }

    @Test func `another history than the head's is tampering, though every sum in it holds`() throws {
        let (disk, other) = (SimulatedDisk(), SimulatedDisk())
        for (disk, numbers) in [(disk, [1, 2]), (other, [1, 9])] {
            var log = try openLog(disk)
            for number in numbers { _ = log.stage(.sample(number)) }
            try log.commit(at: .epoch)
            try log.close()
        }
        let forged = try #require(try other.contents(of: Self.segment))
        try disk.damage(Self.segment) { $0 = forged }
        for verifying in [LogReader.Verifying.checksums, .roots] {
            let error = #expect(throws: LogError.self) { _ = try readAll(disk, verifying: verifying) }
            #expect(error?.code == .tampered)
        }
    }

    @Test(arguments: [UInt64(1), 3, 5]) func `a missing segment is told, wherever reading begins`(_ first: UInt64)
        throws
    {
        let (disk, _) = try Self.ledger()
        try disk.unlink(LogHome(home).segment(SequenceNumber(first)))
        for after in [UInt64(0), 4] {
            let error = #expect(throws: LogError.self) { _ = try readAll(disk, after: SequenceNumber(after)) }
            #expect(error?.code == .missing && error?.file == SegmentName.name(SequenceNumber(first)))
            #expect(error?.next.contains("put '\(SegmentName.name(SequenceNumber(first)))' back from a copy") ?? false)
        }
        #expect(LogVerifier.kinds(disk) == [.missingSegment])
    }

    @Test(arguments: [true, false])
    func `a segment that a compaction beside a reader or a verification takes out is not missed`(archiving: Bool) throws
    {
        let disk = SimulatedDisk()
        let meeting = MeetingFileSystem(disk)
        let log = Mutex(try openLog(disk))
        let append: @Sendable () -> Void = {
            log.withLock { log in
                do throws(LogError) {
                    _ = log.stage(.sample(Int(log.lastSequence.rawValue) + 1))
                    try log.commit(at: .epoch)
                    try log.rotate()
                } catch { Issue.record("\(error)") }
            }
        }
        let drop: @Sendable () -> Void = {
            log.withLock { log in
                do throws(LogError) {
                    let last = log.lastSequence
                    _ = try log.drop(through: last, archiving: archiving, snapshot: last)
                } catch { Issue.record("\(error)") }
            }
        }
        append()
        meeting.before(opening: Self.segment, drop)
        let reader = try LogReader(home: home, fileSystem: meeting)
        #expect(reader.baseSequence == SequenceNumber(1))
        append()
        meeting.before(opening: LogHome(home).segment(SequenceNumber(2)), drop)
        var verifier = LogVerifier(home: home, fileSystem: meeting)
        #expect(try verifier.run().findings == [])
    }

    /// Who looks at the snapshots, and where it is when the compaction comes.
    enum Look: CaseIterable { case verificationLists, verificationLoads, baseIsLoaded }

    @Test(arguments: Look.allCases)
    func `a snapshot that a compaction beside a look replaces is not missed`(look: Look) throws {
        let disk = SimulatedDisk()
        let log = Mutex(try openLog(disk))
        let compact: @Sendable () -> Void = {
            log.withLock { log in
                do throws(LogError) {
                    _ = log.stage(.sample(Int(log.lastSequence.rawValue) + 1))
                    try log.commit(at: .epoch)
                    try log.rotate()
                    let last = log.lastSequence
                    _ = try log.drop(through: last, archiving: false, snapshot: last)
                    try log.pruneSnapshots(keeping: 1)
                } catch { Issue.record("\(error)") }
            }
        }
        compact()
        let meeting = MeetingFileSystem(disk)
        let base = try LogReader(home: home, fileSystem: disk).baseSnapshot
        meeting.before(
            opening: look == .verificationLists ? LogHome(home).snapshots : LogHome(home).snapshot(base), compact)
        if look == .baseIsLoaded {
            #expect(try LogReader.troubleWithBase(home: home, fileSystem: meeting) == nil)
        } else {
            var verifier = LogVerifier(home: home, fileSystem: meeting)
            #expect(try verifier.run().findings == [])
        }
        #expect(try LogReader(home: home, fileSystem: disk).baseSnapshot == base.next, "the compaction came")
    }
}

extension Head {
    /// What one slot says, whichever ledger it is of.
    fileprivate static func slot(_ path: FilePath, _ disk: SimulatedDisk) throws -> Head {
        try #require(Head(decoding: try disk.contents(of: path) ?? [], nil))
    }
}
