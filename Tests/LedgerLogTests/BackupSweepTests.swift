import LedgerModel
import LedgerSystem
import LedgerTestSupport
import SystemPackage
import Testing

@testable import LedgerLog

/// A backup that is cut short at any call: the copy is the one before it or the new one, or says that it is none.
struct BackupSweepTests {
    private static let copy = FilePath("/copy")

    private func write(_ count: Int, _ log: inout WriteAheadLog, rotating: Bool) throws(LogError) {
        for _ in 0..<count { _ = log.stage(.sample(Int(log.lastSequence.rawValue) + log.stagedCount + 1)) }
        try log.commit(at: .epoch)
        if rotating { try log.rotate() }
    }

    private func backup(_ disk: SimulatedDisk) throws(LogError) -> LogBackup.Report {
        var backup = LogBackup(home: home, target: Self.copy, companions: ["secrets"], fileSystem: disk)
        return try backup.run { report throws(LogError) in report }
    }

    /// A ledger with a finished segment and one in use.
    private func ledger() throws -> SimulatedDisk {
        let disk = SimulatedDisk()
        var log = try openLog(disk)
        try write(3, &log, rotating: true)
        try write(2, &log, rotating: false)
        try log.close()
        try disk.replaceContents(of: home.appending("secrets"), with: [1, 2], permissions: 0o600)
        return disk
    }

    /// What is added to it after its first backup: the segment in use is finished, and one more; the first is archived.
    private func goOn(_ disk: SimulatedDisk) throws {
        var log = try openLog(disk, seed: 2)
        try write(4, &log, rotating: true)
        try log.saveSnapshot(Snapshot(sequence: SequenceNumber(9), kind: 1, version: 1, root: log.root, content: [7]))
        _ = try log.drop(through: SequenceNumber(3), archiving: true, snapshot: SequenceNumber(9))
        try write(1, &log, rotating: false)
        try log.close()
    }

    /// The last sequence that a reader finds in the copy; nil when it says that there is none, or none that is whole.
    private func lastRead(_ disk: SimulatedDisk) -> UInt64? {
        do throws(LogError) {
            var reader = try LogReader(home: Self.copy, fileSystem: disk, verifying: .roots)
            while try reader.next() != nil {}
            return reader.end.rawValue
        } catch { return nil }
    }

    private func expectWhole(_ disk: SimulatedDisk, _ name: String) {
        do throws(LogError) {
            let report = try backup(disk)
            var verifier = LogVerifier(home: Self.copy, fileSystem: disk)
            #expect(try verifier.run().findings == [], "\(name)")
            #expect(lastRead(disk) == report.last.rawValue, "\(name)")
            var log = try WriteAheadLog.open(
                at: Self.copy, fileSystem: disk, configuration: .small, random: SharedChance(seed: 9).source)
            #expect(log.root == report.root, "\(name)")
            try log.close()
        } catch { Issue.record("\(name): \(error)") }
    }

    /// Opened as it stands, it loses nothing of the copy before, or is not opened.
    private func expectSafe(_ survivor: SimulatedDisk, _ name: String) throws {
        let disk = survivor.copy()
        do throws(LogError) {
            var log = try WriteAheadLog.open(
                at: Self.copy, fileSystem: disk, configuration: .small, random: SharedChance(seed: 8).source)
            #expect(log.lastSequence >= SequenceNumber(5), "\(name)")
            try log.close()
        } catch {
            #expect([.corrupted, .missing].contains(error.code), "\(name): \(error)")
            return
        }
        var verifier = LogVerifier(home: Self.copy, fileSystem: disk)
        #expect(try verifier.run().findings == [], "\(name)")
    }

    @Test func `while a copy is looked at no other backup changes it`() throws {
        let disk = try ledger()
        var backup = LogBackup(home: home, target: Self.copy, companions: [], fileSystem: disk)
        let refused = try backup.run { _ throws(LogError) in
            do throws(LogError) { return try self.backup(disk).last.description } catch { return error.code.rawValue }
        }
        #expect(refused == LogError.Code.locked.rawValue)
        #expect(try self.backup(disk).filesKept > 0)
    }

    @Test func `a first backup that is cut anywhere is none, or whole, and the next one finishes`() throws {
        let whole = try ledger()
        var operations = 0
        while true {
            let disk = whole.copy()
            disk.crash(after: disk.operations + operations)
            do throws(LogError) { _ = try backup(disk) } catch { #expect(disk.isDead, "\(error)") }
            for survivor in [disk.survivorOfTheWorst(), disk.survivor(seed: UInt64(operations)), disk.copy()] {
                survivor.releaseAllLocks()
                if let end = lastRead(survivor) { #expect(end == 5, "after \(operations)") }
                expectWhole(survivor, "after \(operations)")
            }
            guard disk.isDead else { break }
            operations += 1
        }
        #expect(operations > 20)
    }

    @Test func `a later backup that is cut anywhere leaves the one before, or says that it does not`() throws {
        let whole = try ledger()
        #expect(try backup(whole).last == SequenceNumber(5))
        try goOn(whole)
        var operations = 0
        while true {
            let disk = whole.copy()
            disk.crash(after: disk.operations + operations)
            do throws(LogError) { _ = try backup(disk) } catch { #expect(disk.isDead, "\(error)") }
            for survivor in [disk.survivorOfTheWorst(), disk.survivor(seed: UInt64(operations)), disk.copy()] {
                survivor.releaseAllLocks()
                if let end = lastRead(survivor) { #expect(end >= 5 && end <= 10, "after \(operations): \(end)") }
                try expectSafe(survivor, "after \(operations)")
                expectWhole(survivor, "after \(operations)")
                #expect(lastRead(survivor) == 10)
            }
            guard disk.isDead else { break }
            operations += 1
        }
        #expect(operations > 20)
    }
}
