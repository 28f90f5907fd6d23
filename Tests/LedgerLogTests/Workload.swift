import LedgerLog
import LedgerModel
import LedgerSystem
import LedgerTestSupport
import SystemPackage
import Testing

/// What a test does to a log, step by step, with a count of what it asked for and what it was told.
struct Workload: Sendable {
    enum Step: Sendable {
        /// Commits of so many records each.
        case commits([Int])
        case rotate
        /// A snapshot of all there is, and everything finished before it taken out.
        case compact(archiving: Bool)
        case close
        case reopen
    }

    /// How many records were handed to a commit, whether or not it came back.
    private(set) var attempted = 0
    /// How many records a commit came back for.
    private(set) var acknowledged = 0
    /// The last error, after which the workload stops.
    private(set) var failure: LogError?

    static let short: [Step] = [.commits([1, 3, 2]), .rotate, .commits([2])]
    static let long: [Step] = [
        .commits([1, 3, 2]), .rotate, .commits([4, 1]), .compact(archiving: true), .commits([2, 12, 12, 9]), .close,
        .reopen, .commits([1, 2]), .rotate, .compact(archiving: false), .commits([1]), .close,
    ]

    /// Does the steps until one fails. The log is dropped at the end as a killed process drops it.
    mutating func run(_ steps: [Step], on disk: SimulatedDisk) {
        do throws(LogError) {
            var log = try openLog(disk)
            for step in steps {
                switch step {
                case .commits(let sizes):
                    for size in sizes { try commit(size, to: &log) }
                case .rotate: try log.rotate()
                case .compact(let archiving):
                    let last = log.lastSequence
                    try log.saveSnapshot(
                        Snapshot(sequence: last, kind: 1, version: 1, root: log.root, content: Array("\(last)".utf8)))
                    _ = try log.drop(through: last, archiving: archiving, snapshot: last)
                    try log.pruneSnapshots(keeping: 1)
                case .close: try log.close()
                case .reopen: log = try openLog(disk)
                }
            }
        } catch { failure = error }
    }

    private mutating func commit(_ size: Int, to log: inout WriteAheadLog) throws(LogError) {
        let first = Int(log.lastSequence.rawValue) + 1
        for number in first..<first + size { _ = log.stage(.sample(number)) }
        attempted = first + size - 1
        let now = Timestamp(milliseconds: Int64(attempted) * 1000)
        try log.commit(at: now)
        acknowledged = attempted
        while log.isPreparationDue(at: now) { try log.prepare(at: now) }
    }
}

/// The oracle: what is recovered is a prefix of what was attempted, without a hole, with all that was acknowledged in
/// it; the log goes on from there; and verifying it finds nothing.
func expectSound(
    _ disk: SimulatedDisk, _ work: Workload, _ name: String, sourceLocation: SourceLocation = #_sourceLocation
) {
    do throws(LogError) {
        let before = LogVerifier.kinds(disk)
        let isHarmless = before.allSatisfy { $0.isHarmless }
        #expect(isHarmless, "\(name): \(before) before", sourceLocation: sourceLocation)
        var log = try openLog(disk, seed: 77)
        let count = Int(log.lastSequence.rawValue)
        #expect(count >= work.acknowledged, "\(name): lost acknowledged records", sourceLocation: sourceLocation)
        #expect(count <= work.attempted, "\(name): more than was attempted", sourceLocation: sourceLocation)
        let base = Int(log.baseSequence.rawValue)
        if base > 0 {
            let snapshot = try log.snapshots.load(atMost: log.lastSequence)
            #expect(
                snapshot.map { Int($0.sequence.rawValue) >= base } ?? false, "\(name): no snapshot for the base",
                sourceLocation: sourceLocation)
        }
        let records = try readAll(disk)
        let expected = count > base ? (base + 1...count).map { LogRecord.sample($0) } : []
        let same = records.filter { Int($0.sequence.rawValue) > base }.map(\.asStaged) == expected
        #expect(same, "\(name): other records", sourceLocation: sourceLocation)
        _ = log.stage(.sample(count + 1))
        try log.commit(at: .epoch)
        try log.close()
        let again = try openLog(disk, seed: 78)
        #expect(again.recovery.isClean, "\(name): not clean after a close", sourceLocation: sourceLocation)
        #expect(again.lastSequence == SequenceNumber(UInt64(count + 1)), sourceLocation: sourceLocation)
        let after = LogVerifier.kinds(disk)
        #expect(after.isEmpty, "\(name): \(after) after", sourceLocation: sourceLocation)
    } catch {
        Issue.record("\(name): \(error)", sourceLocation: sourceLocation)
    }
}

extension LogVerifier {
    /// The kinds of what verifying finds; no ledger at all is nothing.
    static func kinds(_ disk: any FileSystem, depth: Depth = .whole) -> [LogFinding.Kind] {
        do throws(LogError) {
            var verifier = LogVerifier(home: home, fileSystem: disk, depth: depth)
            return try verifier.run().findings.map(\.kind)
        } catch {
            return error.code == .absent ? [] : [.corruption]
        }
    }
}
