import LedgerModel
import LedgerTestSupport
import SystemPackage
import Testing

/// A2: lives by chance, each with one to four cuts of the power (or kills), also during recovery and compaction, and
/// with syncs that fail before; clock, disk and network follow from the seed, which is the case's number.
struct RandomLivesTests {
    @Test func `whatever is done and wherever the power fails, nothing is lost and nothing claimed is missing`() async {
        let breaches = await Proof("A2", cases: 10_000, slice: 500).run { number in
            do { return .init(breaches: try Self.live(seed: UInt64(number))) } catch {
                return .init(breaches: ["\(error)"])
            }
        }
        for breach in breaches { Issue.record("\(breach)") }
    }

    private static func live(seed: UInt64) throws -> [String] {
        var chance = SplitMix64(seed: seed)
        var disk = try Life.emptyDisk()
        let clock = ManualClock(Fixture.start)
        let network = SimulatedNetwork(seed: chance.next(), clock: clock, Origins.places)
        var (known, acknowledged): ([Recorded], Int) = ([], 0)
        let cuts = Int.random(in: 1...4, using: &chance)
        for cut in 1...cuts {
            let steps = (0..<Int.random(in: 2...20, using: &chance)).map { _ in Step.random(using: &chance) }
            disk.failedSyncFate = FailedSyncFate.allCases.randomElement(using: &chance)!
            let fails = Int.random(in: 0..<3, using: &chance) == 0
            if fails {
                let call = Bool.random(using: &chance) ? SimulatedCall.fdatasync : .fsync
                disk.inject(SimulatedFault(call, nth: Int.random(in: 1...40, using: &chance), .ioError))
            }
            let operationsMax = 1 << Int.random(in: 1...9, using: &chance)
            disk.crash(after: disk.operations + Int.random(in: 0..<operationsMax, using: &chance))
            let ended = Life.live(
                steps, on: disk, clock, network, seed: chance.next(), known: known, acknowledged: acknowledged)
            guard let ended else { return ["cut \(cut): everyone waits for ever"] }
            var breaches = ended.witness.breaches
            if let error = ended.error, !disk.isDead, !fails { breaches.append("\(error), and the disk was well") }
            // A kill leaves what was written, a cut what was synced and any part of the rest.
            let isKill = Int.random(in: 0..<4, using: &chance) == 0
            disk = isKill ? disk.copy() : disk.survivor(using: &chance)
            let oracle = Oracle(ended, isAll: false, network: network)
            let verdict = oracle.judge(disk.copy(), seed: chance.next(), finishes: false)
            (known, acknowledged) = (verdict.events, ended.acknowledged)
            breaches += verdict.breaches
            if !breaches.isEmpty { return breaches.map { "\(isKill ? "kill" : "cut") \(cut): \($0)" } }
        }
        let oracle = Oracle(attempted: known, acknowledged: acknowledged, isAll: true, network: network)
        return oracle.judge(disk, seed: chance.next(), finishes: true).breaches.map { "in the end: \($0)" }
    }
}
