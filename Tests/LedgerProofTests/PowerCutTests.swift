import LedgerModel
import LedgerTestSupport
import Synchronization
import Testing

/// A1: the power fails before every operation of each script, and every disk that this may leave behind is opened:
/// what was not synced is kept, dropped, torn at 512 bytes or garbage, names lost, renames out of order.
struct PowerCutTests {
    /// The disk before one operation of a script, and what was acknowledged by then.
    struct Moment: Sendable {
        let name: String
        let disk: SimulatedDisk
        let acknowledged: Int
    }

    /// A script that was run to its end.
    struct Run: Sendable {
        let moments: [Moment]
        let events: [Recorded]
        let network: SimulatedNetwork

        init(script number: Int) throws {
            let disk = try Life.emptyDisk()
            let clock = ManualClock(Fixture.start)
            let network = SimulatedNetwork(
                seed: UInt64(number), clock: clock, mishaps: .none, Origins.places)
            let moments = Mutex<[Moment]>([])
            let events = SimulatedThreads.run(seed: UInt64(number), clock: clock) { threads in
                let life = Life(disk, clock, network, seed: UInt64(number), threads)
                disk.observe { call, path, copy in
                    let (copied, acknowledged) = (copy(), life.acknowledged())
                    moments.withLock { moments in
                        let name = "script \(number), before operation \(moments.count), \(call) '\(path)'"
                        moments.append(Moment(name: name, disk: copied, acknowledged: acknowledged))
                    }
                }
                let error = await life.run(Scripts.all[number])
                disk.observe(nil)
                if let error { Issue.record("script \(number): \(error)") }
                for breach in life.witness.breaches { Issue.record("script \(number): \(breach)") }
                return life.witness.events
            }
            self.moments = moments.withLock { $0 }
            self.events = try #require(events, "script \(number): everyone waits for ever")
            self.network = network
        }
    }

    @Test func `a power cut at every operation, with every kind of loss, loses nothing and splices nothing`()
        async throws
    {
        let runs = try await Proof.aside { try Scripts.all.indices.map { try Run(script: $0) } }
        let cases = runs.flatMap { run in run.moments.map { (run, $0) } }
        #expect(cases.count > 1200, "\(cases.count) operations")
        let breaches = await Proof("A1", cases: cases.count, slice: 197).run { number in
            let (run, moment) = cases[number]
            return Self.look(at: moment, of: run, seed: UInt64(number))
        }
        for breach in breaches { Issue.record("\(breach)") }
    }

    /// How many disks of one moment are looked at, and how many of those in a slice.
    private static let (survivors, survivorsOfSlice) = (800, 24)

    private static func look(at moment: Moment, of run: Run, seed: UInt64) -> Proof.Outcome {
        let oracle = Oracle(
            attempted: run.events, acknowledged: moment.acknowledged, isAll: true, network: run.network)
        var outcome = Proof.Outcome(states: 0)
        let survivors = moment.disk.survivors(
            count: Sweep.isWhole ? survivors : survivorsOfSlice, seed: seed)
        let step = Sweep.isWhole ? 1 : max(1, survivors.count / survivorsOfSlice)
        for place in stride(from: 0, to: survivors.count, by: step) {
            // The harshest and a few others also have to come to a good end.
            let finishes = place == 1 || (Int(seed) + place) % 64 == 0
            let verdict = oracle.judge(survivors[place], seed: seed, finishes: finishes)
            outcome.states += 1
            outcome.breaches += verdict.breaches.map { "\(moment.name), survivor \(place): \($0)" }
            if !outcome.breaches.isEmpty { return outcome }
        }
        return outcome
    }
}
