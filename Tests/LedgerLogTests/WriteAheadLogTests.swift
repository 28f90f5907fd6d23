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

    @Test func `an older manifest beside a newer log opens nothing, and nothing is written over`() throws {
        let disk = SimulatedDisk()
        var log = try openLog(disk)
        _ = log.stage(.sample(1))
        try log.commit(at: .epoch)
        try log.close()
        let names = ["manifest-a", "manifest-b", "head-a", "head-b"].map { home.appending($0) }
        let older = try names.map { try disk.contents(of: $0) ?? [] }
        log = try openLog(disk, seed: 2)
        for number in 2...100 {
            _ = log.stage(.sample(number))
            try log.commit(at: .epoch)
        }
        try log.close()
        let newer = try names.map { try disk.contents(of: $0) ?? [] }
        for (name, bytes) in zip(names, older) { try disk.damage(name) { $0 = bytes } }
        let error = #expect(throws: LogError.self) { _ = try openLog(disk, seed: 3) }
        #expect(error?.code == .corrupted)
        #expect(error?.description.contains("holds records and the manifest does not count it") ?? false)
        for (name, bytes) in zip(names, newer) { try disk.damage(name) { $0 = bytes } }
        #expect(try readAll(disk).map(\.asStaged) == (1...100).map { .sample($0) })
    }

    /// As when someone moves the home away, and puts a copy back in its place.
    @Test(arguments: [true, false]) func `a log whose home was moved writes nothing any more`(isReplaced: Bool) throws {
        let disk = SimulatedDisk()
        var log = try openLog(disk)
        _ = log.stage(.sample(1))
        try log.commit(at: .epoch)
        try log.rotate()
        let compaction = try log.compaction(through: log.lastSequence, before: nil, archiving: true)
        #expect(compaction.taken.count == 1)
        let snapshot = Snapshot(
            sequence: log.lastSequence, kind: 1, version: 1, root: log.root, content: [1])
        let names = ["manifest-a", "manifest-b", "head-a", "head-b"].map { home.appending($0) }
        let before = try names.map { try disk.contents(of: $0) }
        try disk.unlink(LogHome(home).lock)
        let other = isReplaced ? try disk.lock(LogHome(home).lock) : nil
        #expect(!isReplaced || other != nil)
        _ = log.stage(.sample(2))
        for _ in 1...2 {
            let error = #expect(throws: LogError.self) { try log.commit(at: .epoch) }
            #expect(error?.description.contains("was moved or replaced while it was open") ?? false, "\(error as Any)")
        }
        #expect(throws: LogError.self) { try log.rotate() }
        #expect(throws: LogError.self) { try log.prepare(at: Timestamp(milliseconds: 1 << 40)) }
        #expect(throws: LogError.self) { try log.releaseBallast() }
        #expect(throws: LogError.self) { try log.snapshots.save(snapshot) }
        #expect(throws: LogError.self) { try log.snapshots.remove(snapshot.sequence) }
        for entry in compaction.archived { #expect(throws: LogError.self) { _ = try compaction.archiving(entry) } }
        for entry in compaction.taken {
            #expect(throws: LogError.self) {
                _ = try compaction.thin(compaction.inLog(entry), as: .thinned) { _ in true }
            }
        }
        try log.close()
        #expect(try names.map { try disk.contents(of: $0) } == before)
        #expect(try readAll(disk).map(\.asStaged) == [.sample(1)])
        other?.unlock()
        let again = try openLog(disk, seed: 2)
        #expect(again.lastSequence == SequenceNumber(1))
    }

    @Test func `a close beside a home that was moved says so, and leaves the heads`() throws {
        let disk = SimulatedDisk()
        var log = try openLog(disk)
        _ = log.stage(.sample(1))
        try log.commit(at: .epoch)
        let heads = LogHome(home).heads
        let before = try heads.map { try disk.contents(of: $0) }
        try disk.unlink(LogHome(home).lock)
        let error = #expect(throws: LogError.self) { try log.close() }
        #expect(error?.code == .io)
        #expect(try heads.map { try disk.contents(of: $0) } == before)
    }

    @Test func `what was recorded lately stays, though the clock stood wrong behind it`() throws {
        let disk = SimulatedDisk()
        var log = try openLog(disk)
        let times = [1_800_000_000_000, 1_800_000_001_000, 100].map { Timestamp(milliseconds: $0) }
        for (place, time) in times.enumerated() {
            _ = log.stage(LogRecord(type: 1, version: 1, time: time, payload: [1]))
            if place != 1 { try log.commit(at: time) }
        }
        try log.rotate()
        let last = log.lastSequence
        let early = try log.compaction(through: last, before: times[1], archiving: false).taken
        let late = try log.compaction(
            through: last, before: Timestamp(milliseconds: times[1].milliseconds + 1), archiving: false
        ).taken
        #expect((early.count, late.count) == (0, 1))
    }

    @Test func `one holder at a time`() throws {
        let disk = SimulatedDisk()
        let log = try openLog(disk)
        let error = #expect(throws: LogError.self) { _ = try openLog(disk) }
        #expect(error?.code == .locked)
        #expect(log.lastSequence == .zero)
    }

    @Test func `a commit over prepared zeros changes no length`() throws {
        let disk = SimulatedDisk()
        var configuration = LogConfiguration.small
        configuration.segmentBytesMax = 64 << 10
        var log = try openLog(disk, configuration)
        let segment = home.appending("log").appending("0000000000000001.seg")
        for number in 1...200 {
            let before = try disk.status(of: segment)?.length
            _ = log.stage(.sample(number))
            try log.commit(at: .epoch)
            #expect(try disk.status(of: segment)?.length == before)
            while log.isPreparationDue(at: .epoch) { try log.prepare(at: .epoch) }
        }
        #expect(try readAll(disk).count == 200)
    }

    @Test func `the head follows behind the commits, and not with each`() throws {
        let disk = SimulatedDisk()
        var log = try openLog(disk)
        _ = log.stage(.sample(1))
        try log.commit(at: .epoch)
        let second = Timestamp(milliseconds: 1000)
        let late = Timestamp(milliseconds: LogBounds.headLagMilliseconds)
        let (isDueEarly, isDueLate) = (log.isPreparationDue(at: second), log.isPreparationDue(at: late))
        #expect((isDueEarly, isDueLate) == (false, true))
        try log.prepare(at: late)
        let isStillDue = log.isPreparationDue(at: late)
        #expect(!isStillDue)
        // A cut below what the head says is told from a tail that nobody was promised.
        try disk.damage(home.appending("log").appending("0000000000000001.seg")) { bytes in
            bytes.replaceSubrange(64..., with: repeatElement(0, count: bytes.count - 64))
        }
        #expect(LogVerifier.kinds(disk) == [.shorterThanHead])
    }

    @Test func `a full disk leaves the zeros undone and the log in use`() throws {
        let disk = SimulatedDisk()
        var log = try openLog(disk)
        disk.bytesMax = disk.bytesTaken
        var refused = 0
        for number in 1...6 {
            _ = log.stage(.sample(number))
            try log.commit(at: .epoch)
            while log.isPreparationDue(at: .epoch) {
                refused += 1
                try log.prepare(at: .epoch)
            }
        }
        #expect(refused == 1)
        #expect(log.failure == nil)
        #expect(log.lastSequence == SequenceNumber(6))
    }
}
