import LedgerAPI
import LedgerEngine
import LedgerLog
import LedgerModel
import LedgerSystem
import LedgerTestSupport
import SystemPackage
import Testing

@testable import ledger_bench

/// A log that is made is one that could have happened: exact, the same for a seed, whole, and with everything in it.
@Suite struct MakeLogTests {
    private static let home = LedgerHome("/ledger")

    private func make(
        _ scale: LogScale, on disk: SimulatedDisk, milestones: Milestones = Ledger.milestones
    ) async throws -> LedgerState {
        var maker = try await LogMaker(home: Self.home, fileSystem: disk, scale: scale, milestones: milestones)
        return try await maker.run()
    }

    private func events(on disk: SimulatedDisk) throws -> [Recorded] {
        var reader = try EventReader(home: Self.home, fileSystem: disk, after: .zero, verifyingRoots: true)
        var events: [Recorded] = []
        while let batch = try reader.next() { events += batch.events }
        return events
    }

    @Test(arguments: [(1, 1), (7, 7), (50, 3), (200, 150)])
    func `a log has as many events and downloads as were asked for`(_ events: Int, _ downloads: Int) async throws {
        let disk = SimulatedDisk()
        let state = try await make(LogScale(events: events, downloads: downloads, seed: 3, days: 10), on: disk)
        #expect(state.queue.invariantViolation() == nil)
        #expect(state.sequence == SequenceNumber(UInt64(events)))
        #expect(state.queue.downloads.count == downloads)
        #expect(try self.events(on: disk).count == events)
    }

    @Test func `equal seeds make equal logs, and others do not`() async throws {
        var segments: [[UInt8]] = []
        for seed in [5, 5, 6] as [UInt64] {
            let disk = SimulatedDisk()
            _ = try await make(LogScale(events: 300, downloads: 30, seed: seed, days: 3), on: disk)
            var bytes = try #require(try disk.contents(of: LogHome(Self.home.path).segment(SequenceNumber(1))))
            // How many zeros were written ahead is a matter of time.
            while bytes.last == 0 { bytes.removeLast() }
            segments.append(bytes)
        }
        #expect(segments[0] == segments[1])
        #expect(segments[0] != segments[2])
    }

    @Test func `the state at any point is that of folding all events up to it, beside milestones too`() async throws {
        let disk = SimulatedDisk()
        _ = try await make(
            LogScale(events: 1_500, downloads: 150, seed: 4, days: 20), on: disk,
            milestones: Milestones(stepEvents: 200, countMax: 4))
        let snapshots = try disk.list(LogHome(Self.home.path).snapshots)
        #expect((4...6).contains(snapshots.count), "\(snapshots)")
        let clock = ManualClock(LogScale.end)
        let world = World(fileSystem: disk, clock: clock, random: { 0 }, blocking: BlockingPool(threads: 1))
        let reading = LedgerReading(home: Self.home, world: world)
        let events = try events(on: disk)
        var chance = SplitMix64(seed: 9)
        var points = Set((0..<10).map { _ in Int.random(in: 1...events.count, using: &chance) })
        points.formUnion([1, 1_499, 1_500])
        var folded = LedgerState()
        for (index, event) in events.enumerated() {
            folded.apply(event)
            guard points.contains(index + 1) else { continue }
            let state = try reading.state(at: .sequence(event.sequence))
            #expect(StateSnapshot.digest(of: state) == StateSnapshot.digest(of: folded), "at event \(event.sequence)")
            #expect(state.catalog == folded.catalog)
        }
    }

    @Test func `a log verifies, spreads over its days, and holds what happens in a year`() async throws {
        let disk = SimulatedDisk()
        let scale = LogScale(events: 3_000, downloads: 300, seed: 1, days: 30)
        _ = try await make(scale, on: disk)
        var verifier = LogVerifier(home: Self.home.path, fileSystem: disk, depth: .whole)
        #expect(try verifier.run().findings.isEmpty)
        let events = try events(on: disk)
        let (first, last) = (try #require(events.first), try #require(events.last))
        #expect(LogScale.end.advanced(by: .seconds(-30 * 86_400)).duration(to: first.time) < .seconds(2))
        #expect(first.time.duration(to: last.time) > .seconds(29 * 86_400))
        #expect(last.time <= LogScale.end)
        #expect(zip(events, events.dropFirst()).allSatisfy { $0.time <= $1.time })
        let kinds = Set(events.map(\.event.kind))
        let everyday: Set<Event.Kind> = [
            .enqueued, .resolved, .progressed, .verified, .completed, .failed, .paused, .resumed, .cancelled, .retried,
            .moved, .changed, .deleted, .restored, .missing, .rechecked, .unchanged,
        ]
        #expect(kinds == everyday)
    }
}
