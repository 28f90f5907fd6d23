import LedgerModel
import LedgerTestSupport
import SystemPackage
import Testing

/// A3: the n-th call of each kind fails, for every n, in every way, once and for good; the program may end or go on,
/// and then the power fails, or it is killed.
struct FaultTests {
    /// One failure of one call in one script.
    private struct Case: Sendable, CustomStringConvertible {
        var script: Int
        var call: SimulatedCall
        var nth: Int
        var failure: Way

        var description: String { "script \(script), \(call) \(nth): \(failure)" }
    }

    /// How a call fails.
    private struct Way: Sendable, CustomStringConvertible {
        var errno: Errno
        var isForGood = false
        var bytesWritten = 0
        /// What becomes of the pages of a sync that failed.
        var fate = FailedSyncFate.lost

        var description: String {
            "\(errno)\(isForGood ? " for good" : "")\(bytesWritten > 0 ? " after \(bytesWritten) bytes" : ""), \(fate)"
        }
    }

    /// The ways in which a kind of call can fail.
    private static func ways(of call: SimulatedCall) -> [Way] {
        switch call {
        case .fdatasync, .fsync, .syncFileRange:
            return [
                Way(errno: .ioError), Way(errno: .ioError, fate: .kept), Way(errno: .ioError, fate: .lostBeside),
                Way(errno: .ioError, isForGood: true), Way(errno: .noSpace),
                Way(errno: .diskQuotaExceeded, fate: .kept), Way(errno: .interrupted),
            ]
        case .pwrite:
            return [
                Way(errno: .ioError), Way(errno: .ioError, isForGood: true), Way(errno: .ioError, bytesWritten: 7),
                Way(errno: .noSpace, bytesWritten: 100), Way(errno: .noSpace, isForGood: true),
                Way(errno: .diskQuotaExceeded), Way(errno: .readOnlyFileSystem, isForGood: true),
                Way(errno: .interrupted),
            ]
        case .open, .fallocate, .ftruncate, .mkdir, .rename, .unlink, .rmdir, .futimens:
            return [
                Way(errno: .ioError), Way(errno: .ioError, isForGood: true), Way(errno: .noSpace),
                Way(errno: .noSpace, isForGood: true), Way(errno: .diskQuotaExceeded),
                Way(errno: .readOnlyFileSystem, isForGood: true), Way(errno: .interrupted),
            ]
        case .pread, .fstat, .lstat, .readdir, .statvfs, .flock:
            return [Way(errno: .ioError), Way(errno: .ioError, isForGood: true), Way(errno: .interrupted)]
        }
    }

    private static func cases() throws -> [Case] {
        try Scripts.all.indices.flatMap { script -> [Case] in
            let disk = try Life.emptyDisk()
            let before = Dictionary(uniqueKeysWithValues: SimulatedCall.allCases.map { ($0, disk.count(of: $0)) })
            _ = live(script, on: disk)
            return SimulatedCall.allCases.flatMap { call -> [Case] in
                let count = disk.count(of: call) - (before[call] ?? 0)
                return (0..<count).flatMap { nth in
                    ways(of: call).map { Case(script: script, call: call, nth: nth + 1, failure: $0) }
                }
            }
        }
    }

    private static func network(_ script: Int, _ clock: ManualClock) -> SimulatedNetwork {
        SimulatedNetwork(seed: UInt64(script), clock: clock, mishaps: .none, Origins.places)
    }

    private static func live(_ script: Int, on disk: SimulatedDisk) -> Life.Ended? {
        let clock = ManualClock(Fixture.start)
        return Life.live(Scripts.all[script], on: disk, clock, network(script, clock), seed: UInt64(script))
    }

    @Test func `whichever call fails, however, nothing acknowledged is lost and nothing claimed is missing`()
        async throws
    {
        let cases = try await Proof.aside { try Self.cases() }
        #expect(cases.count > 15_000, "\(cases.count) faults")
        let breaches = await Proof("A3", cases: cases.count, slice: 997).run { number in
            do { return .init(breaches: try Self.look(at: cases[number], seed: UInt64(number))) } catch {
                return .init(breaches: ["\(cases[number]): \(error)"])
            }
        }
        for breach in breaches { Issue.record("\(breach)") }
    }

    private static func look(at one: Case, seed: UInt64) throws -> [String] {
        let disk = try Life.emptyDisk()
        disk.failedSyncFate = one.failure.fate
        disk.inject(
            SimulatedFault(
                one.call, nth: one.nth, one.failure.errno, forGood: one.failure.isForGood,
                afterWriting: one.failure.bytesWritten))
        guard let ended = live(one.script, on: disk) else { return ["\(one): everyone waits for ever"] }
        disk.clearFaults()
        var breaches = ended.witness.breaches
        if disk.openFiles > 0 { breaches.append("\(disk.openFiles) descriptors were not given back") }
        let oracle = Oracle(ended, isAll: false, network: network(one.script, ManualClock(Fixture.start)))
        for (name, survivor) in [("killed", disk.copy()), ("cut", disk.survivorOfTheWorst())] {
            breaches += oracle.judge(survivor, seed: seed, finishes: true).breaches.map { "\(name): \($0)" }
        }
        return breaches.map { "\(one), \($0)" }
    }
}
