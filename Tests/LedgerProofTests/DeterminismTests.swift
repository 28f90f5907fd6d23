import LedgerModel
import LedgerSystem
import LedgerTestSupport
import Synchronization
import Testing

/// One seed, one trace, twice the same.
struct DeterminismTests {
    /// Every call that changed the disk, and every event, in order.
    private static func trace(seed: UInt64) throws -> [String] {
        let disk = try Life.emptyDisk()
        let lines = Mutex<[String]>([])
        let clock = ManualClock(Fixture.start)
        disk.observe { call, path, _ in lines.withLock { $0.append("\(call) \(path)") } }
        var chance = SplitMix64(seed: seed)
        let steps = (0..<25).map { _ in Step.random(using: &chance) } + [.untilIdle]
        let network = SimulatedNetwork(seed: seed, clock: clock, Origins.places)
        let ended = SimulatedThreads.run(seed: seed, clock: clock) { threads -> [String] in
            let life = Life(disk, clock, network, seed: seed, threads)
            let error = await life.run(steps)
            return life.witness.events.map { "\($0)" } + [error.map { "\($0)" } ?? "done", "\(threads.turns) turns"]
        }
        return lines.withLock { $0 } + (ended ?? ["stuck"])
    }

    @Test(arguments: [1, 2, 3, 4, 5])
    func `one seed gives one trace, twice the same`(_ seed: UInt64) async throws {
        let (one, other) = try await Proof.aside { (try Self.trace(seed: seed), try Self.trace(seed: seed)) }
        let isWhole = one.count > 100 && one.contains("done")
        #expect(isWhole, "\(one.last ?? "")")
        let place = zip(one, other).enumerated().first { $0.element.0 != $0.element.1 }
        let isSame = one == other
        // Another process has to come to the same: hashing begins elsewhere in each. 'tools/check --proof' compares.
        Proof.tally("trace-\(seed) \(CRC32C.checksum(Array(one.joined(separator: "\n").utf8).span)) 0 0")
        #expect(isSame, "\(place.map { "line \($0.offset): \($0.element)" } ?? "\(one.count), \(other.count) lines")")
    }
}
