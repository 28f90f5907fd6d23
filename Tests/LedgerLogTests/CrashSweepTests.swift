import LedgerLog
import LedgerModel
import LedgerSystem
import LedgerTestSupport
import Synchronization
import SystemPackage
import Testing

@Suite struct CrashSweepTests {
    /// How many disk operations a workload takes.
    private static func operations(_ steps: [Workload.Step]) -> Int {
        let disk = SimulatedDisk()
        var work = Workload()
        work.run(steps, on: disk)
        #expect(work.failure == nil)
        return disk.operations
    }

    private static func cut(_ steps: [Workload.Step], after operations: Int) -> (SimulatedDisk, Workload) {
        let disk = SimulatedDisk()
        disk.crash(after: operations)
        var work = Workload()
        work.run(steps, on: disk)
        return (disk, work)
    }

    @Test func `a power cut after every operation, with every kind of loss, loses nothing acknowledged`() {
        for operation in Sweep.numbers(0, Self.operations(Workload.short), slice: 37) {
            let (disk, work) = Self.cut(Workload.short, after: operation)
            for (number, survivor) in disk.survivors().enumerated() {
                expectSound(survivor, work, "cut \(operation), survivor \(number)")
            }
        }
    }

    @Test func `a power cut anywhere in a long life, with losses by chance`() {
        for operation in Sweep.numbers(0, Self.operations(Workload.long), slice: 61) {
            let (disk, work) = Self.cut(Workload.long, after: operation)
            expectSound(disk.survivorOfTheWorst(), work, "cut \(operation), nothing unsynced kept")
            for seed in 1...(Sweep.isWhole ? 10 : 1) as ClosedRange<UInt64> {
                expectSound(disk.survivor(seed: seed), work, "cut \(operation), seed \(seed)")
            }
        }
    }

    @Test func `a kill anywhere in a long life leaves what was written`() {
        for operation in Sweep.numbers(0, Self.operations(Workload.long), slice: 53) {
            let (disk, work) = Self.cut(Workload.long, after: operation)
            expectSound(disk.copy(), work, "kill \(operation)")
        }
    }

    @Test func `a second power cut during recovery loses nothing either`() {
        for operation in Sweep.numbers(1, Self.operations(Workload.long), slice: 97) {
            let (disk, work) = Self.cut(Workload.long, after: operation)
            for second in Sweep.numbers(0, 39, slice: 5) {
                let survivor = disk.survivor(seed: UInt64(second))
                survivor.crash(after: second)
                let isDone: Bool
                do throws(LogError) {
                    let log = try openLog(survivor, seed: 5)
                    isDone = log.failure == nil
                } catch { isDone = false }
                expectSound(
                    survivor.survivor(seed: UInt64(second) + 100), work, "cut \(operation), then \(second)")
                if isDone { break }
            }
        }
    }

    @Test func `a kill while a ledger is made, then a power cut: what was acknowledged in between is there`() throws {
        let whole = SimulatedDisk()
        _ = try openLog(whole)
        for operation in 0...whole.operations {
            let disk = SimulatedDisk()
            disk.crash(after: operation)
            do throws(LogError) { _ = try openLog(disk) } catch { #expect(disk.isDead) }
            let killed = disk.copy()
            var log = try openLog(killed, seed: 2)
            _ = log.stage(.sample(1))
            try log.commit(at: .epoch)
            let last = try openLog(killed.survivorOfTheWorst(), seed: 3).lastSequence
            #expect(last == SequenceNumber(1), "killed after \(operation)")
        }
    }

    @Test func `a sync that fails in a rotation, a kill, and a power cut in the next: nothing acknowledged is lost`()
        throws
    {
        for nth in 1...12 {
            for operations in 0..<40 where try !Self.rotate(failing: nth, cutAfter: operations) { break }
        }
    }

    /// - Returns: whether the power was cut before the second rotation was over.
    private static func rotate(failing nth: Int, cutAfter operations: Int) throws -> Bool {
        let disk = SimulatedDisk()
        var log = try openLog(disk)
        for number in 1...5 { _ = log.stage(.sample(number)) }
        try log.commit(at: .epoch)
        try log.close()
        var first = try openLog(disk, seed: 2)
        disk.inject(SimulatedFault(.fdatasync, nth: nth, .ioError))
        do throws(LogError) { try first.rotate() } catch { #expect(first.failure != nil) }
        let killed = disk.copy()
        var second = try openLog(killed, seed: 3)
        _ = second.stage(.sample(6))
        try second.commit(at: .epoch)
        killed.crash(after: killed.operations + operations)
        do throws(LogError) { try second.rotate() } catch { #expect(killed.isDead) }
        for (number, survivor) in killed.survivors().enumerated() {
            do throws(LogError) {
                let last = try openLog(survivor, seed: 4).lastSequence
                #expect(last == SequenceNumber(6), "sync \(nth), cut \(operations), survivor \(number)")
            } catch { Issue.record("sync \(nth), cut \(operations), survivor \(number): \(error)") }
        }
        return killed.isDead
    }

    @Test func `a kill, then a power cut during recovery: a seal never outlives the records it stands for`() throws {
        let disk = SimulatedDisk()
        var log = try openLog(disk)
        for number in 1...12 { _ = log.stage(.sample(number)) }
        // Written, and killed before the sync.
        disk.inject(SimulatedFault(.fdatasync, .ioError))
        disk.failedSyncFate = .kept
        let killed = Self.withoutSync(disk, &log)
        for operations in 0..<20 {
            let cut = killed.copy()
            cut.crash(after: operations)
            do throws(LogError) { _ = try openLog(cut, seed: 5) } catch {
                #expect(cut.isDead, "\(operations): \(error)")
            }
            for (number, survivor) in cut.survivors().enumerated() {
                let kinds = LogVerifier.kinds(survivor)
                let isHarmless = kinds.allSatisfy(\.isHarmless)
                #expect(isHarmless, "cut \(operations), survivor \(number): \(kinds)")
            }
        }
    }

    /// The disk as a kill leaves it between the write of a commit and its sync.
    private static func withoutSync(_ disk: SimulatedDisk, _ log: inout WriteAheadLog) -> SimulatedDisk {
        let seen = Mutex<SimulatedDisk?>(nil)
        disk.observe { call, _, copy in
            if call == .fdatasync { seen.withLock { $0 = $0 ?? copy() } }
        }
        do throws(LogError) { try log.commit(at: .epoch) } catch { #expect(error.code == .io) }
        disk.observe(nil)
        return seen.withLock { $0 } ?? disk
    }

    @Test func `a sync that failed, then a kill, then a power cut: what recovery vouched for stays`() {
        for sync in Sweep.numbers(1, 24, slice: 7) {
            let disk = SimulatedDisk()
            disk.failedSyncFate = .lost
            disk.inject(SimulatedFault(.fdatasync, nth: sync, .ioError))
            var work = Workload()
            work.run(Workload.short, on: disk)
            let killed = disk.copy()
            var recovered: SequenceNumber?
            do throws(LogError) {
                let log = try openLog(killed, seed: 9)
                recovered = log.lastSequence
            } catch { Issue.record("sync \(sync): \(error)") }
            let cut = killed.survivorOfTheWorst()
            do throws(LogError) {
                let log = try openLog(cut, seed: 10)
                #expect(log.lastSequence == recovered, "sync \(sync)")
            } catch { Issue.record("sync \(sync) after the cut: \(error)") }
            expectSound(cut, work, "sync \(sync)")
        }
    }
}
