import LedgerTestSupport
import Testing

/// A milestone is due with the very batch that a compaction goes on from: both save the same snapshot.
struct SnapshotRaceTests {
    @Test func `a compaction and a milestone of one sequence do not get in each other's way`() async throws {
        let errors = try await Proof.aside { () throws -> [String?] in
            // A compaction behind every event but its own: one of them is when a milestone is due.
            let steps: [Step] =
                [.enqueue(Array(0..<Origins.count))]
                + (0..<20).flatMap { [.pause($0), .compact(drops: false), .resume($0), .compact(drops: false)] }
            return try (0..<UInt64(8)).map { seed in
                let clock = ManualClock(Fixture.start)
                let network = SimulatedNetwork(seed: seed, clock: clock, mishaps: .none, Origins.places)
                let life = Life.live(steps, on: try Life.emptyDisk(), clock, network, seed: seed)
                return try #require(life).error
            }
        }
        #expect(errors.compactMap { $0 } == [])
    }
}
