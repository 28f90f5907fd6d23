import LedgerLog
import LedgerModel
import LedgerSystem
import LedgerTestSupport
import SystemPackage
import Testing

let home = FilePath("/home/ledger")

extension LogConfiguration {
    /// Small segments, so that tests meet every kind of boundary.
    static var small: LogConfiguration {
        var small = LogConfiguration()
        small.segmentBytesMax = 2048
        small.zeroStepBytesMin = 1024
        small.zeroStepBytesMax = 1024
        small.ballastBytes = 0
        return small
    }
}

extension LogRecord {
    /// The record number `number` of a test, 40 to 60 bytes of text that names it.
    static func sample(_ number: Int) -> LogRecord {
        let text = "record \(number) " + String(repeating: "x", count: 30 + number % 20)
        return LogRecord(
            type: 1, version: 1, time: Timestamp(milliseconds: 1_750_000_000_000 + Int64(number) * 250),
            payload: Array(text.utf8))
    }
}

/// Opens the log of a test.
func openLog(
    _ disk: any FileSystem, _ configuration: LogConfiguration = .small, seed: UInt64 = 1
) throws(LogError) -> WriteAheadLog {
    try WriteAheadLog.open(
        at: home, fileSystem: disk, configuration: configuration, random: SharedChance(seed: seed).source)
}

/// Every record that a reader finds, from the start.
func readAll(
    _ disk: any FileSystem, after: SequenceNumber = .zero, verifying: LogReader.Verifying = .roots
) throws(LogError) -> [StoredRecord] {
    var reader = try LogReader(home: home, fileSystem: disk, after: after, verifying: verifying)
    var records: [StoredRecord] = []
    while let batch = try reader.next() { records += batch.records }
    return records
}

extension StoredRecord {
    /// What was staged, without its place.
    var asStaged: LogRecord { LogRecord(type: type, version: version, time: time, payload: Array(payload)) }
}

extension WriteAheadLog {
    /// Takes everything up to `last` out of the log, as a compaction does; nil when nothing ends so early.
    mutating func drop(
        through last: SequenceNumber, archiving: Bool, snapshot: SequenceNumber
    ) throws(LogError) -> ClosedRange<SequenceNumber>? {
        if try snapshots.load(snapshot) == nil, snapshot <= lastSequence {
            let root = finished.first { $0.last == snapshot }?.root ?? root
            try saveSnapshot(Snapshot(sequence: snapshot, kind: 1, version: 1, root: root, content: []))
        }
        let compaction = try compaction(through: last, before: nil, archiving: archiving)
        for entry in compaction.archived {
            var job = try compaction.archiving(entry)
            while try job.step() > 0 {}
            try job.finish()
        }
        try finish(compaction, snapshot: snapshot)
        guard let first = compaction.taken.first else { return nil }
        return first.first...compaction.last
    }
}

extension SimulatedDisk {
    /// Cuts a repair of the log on it short at each operation, begins it again on whatever may be left, and hands that
    /// over with what the whole repair was to do, what was left of that, and a name.
    func cutShort(
        _ repair: (any FileSystem) -> LogRepair,
        _ check: (SimulatedDisk, _ plan: RepairPlan, _ again: RepairPlan?, _ name: Comment) throws -> Void
    ) throws {
        let start = copy()
        let before = start.operations
        let plan = try #require(try repair(start).apply())
        for operation in Sweep.numbers(0, start.operations - before, slice: 5) {
            let cut = copy()
            cut.crash(after: cut.operations + operation)
            do throws(LogError) { _ = try repair(cut).apply() } catch { #expect(error.code == .io) }
            for (number, survivor) in cut.survivors().enumerated() {
                let name: Comment = "operation \(operation), survivor \(number)"
                let again = try repair(survivor).apply()
                let pending = try repair(survivor).pending()
                #expect(again != nil || pending?.lastAfter == plan.lastAfter, name)
                #expect(pending?.reason == plan.reason, name)
                try check(survivor, plan, again, name)
            }
        }
    }
}
