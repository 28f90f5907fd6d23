import LedgerAPI
import LedgerLog
import LedgerModel
import LedgerTestSupport
import SystemPackage
import Testing

@testable import LedgerEngine

/// Folding everything anew finds who says something else than the log, and from which event on.
struct StateCheckTests {
    /// A ledger of four orders, the second deleted, closed; its snapshots are at 2 and at the end.
    private func fixture(snapshotAt sequence: UInt64? = nil, holding changed: ((inout LedgerState) -> Void)? = nil)
        async throws -> EngineFixture
    {
        let fixture = EngineFixture()
        let ledger = try await fixture.open()
        for name in ["a", "b", "c"] {
            _ = try await ledger.execute([
                Submission(.enqueue(Fixture.order(name), priority: 0, again: false), id: nil, actor: .cli)
            ])
        }
        _ = try await ledger.execute([Submission(.delete(2, .keepFile), id: nil, actor: .cli)])
        await ledger.close()
        guard let sequence, let changed else { return fixture }
        let reading = LedgerReading(home: fixture.home, world: fixture.world)
        var state = try reading.state(at: .sequence(SequenceNumber(sequence)))
        changed(&state)
        var prover = try LogProver(home: fixture.home.path, fileSystem: fixture.disk)
        let root = try prover.root(at: state.sequence.rawValue)
        var log = try WriteAheadLog.open(at: fixture.home.path, fileSystem: fixture.disk, random: fixture.world.random)
        try log.saveSnapshot(StateSnapshot.snapshot(of: state, root: root))
        try log.close()
        return fixture
    }

    private func check(
        _ fixture: EngineFixture, holder: StateCheck.Witness? = nil
    ) throws(LedgerError) -> StateCheck.Report {
        try StateCheck(home: fixture.home, world: fixture.world, holder: holder).run()
    }

    @Test func `a log whose snapshots are what it folds to agrees with all of them`() async throws {
        let fixture = try await fixture(snapshotAt: 2) { _ in }
        var batches: [SequenceNumber] = []
        let report = try StateCheck(home: fixture.home, world: fixture.world).run { last, bytes in
            #expect(bytes > 0)
            batches.append(last)
        }
        #expect(report.divergence == nil && report.unreadable == [] && report.foreign == [])
        #expect(report.agreeing.map(\.sequence).contains(2) && report.agreeing.last?.sequence == 4)
        #expect(report.events == 4 && report.end == 4 && report.base == .zero && batches == [1, 2, 3, 4])
        let state = try LedgerReading(home: fixture.home, world: fixture.world).state()
        #expect(report.digest == StateSnapshot.digest(of: state))
    }

    @Test func `a snapshot that says something else is named, with the download and the first event it can come from`()
        async throws
    {
        let forged = Recorded(
            sequence: 4, time: Fixture.start, id: DownloadID(2), command: nil, actor: .cli, event: Event.cancelled)
        let fixture = try await fixture(snapshotAt: 3) { state in
            // The state of event 4, with another event in its place.
            state.apply(forged)
        }
        let report = try check(fixture)
        let divergence = try #require(report.divergence)
        #expect(divergence.witness.sequence == 4 && divergence.downloads == [2])
        #expect(divergence.event?.sequence == 2 && divergence.event?.event.kind == .enqueued)
        #expect(divergence.agreed == .zero)
    }

    @Test func `a snapshot that invents a download is named`() async throws {
        let invented = Recorded(
            sequence: 4, time: Fixture.start, id: DownloadID(4), command: nil, actor: .cli,
            event: Event.enqueued(Fixture.order("d"), priority: 0, rank: 9))
        let fixture = try await fixture(snapshotAt: 3) { $0.apply(invented) }
        let divergence = try #require(try check(fixture).divergence)
        #expect(divergence.witness.sequence == 4 && divergence.downloads == [2, 4])
    }

    @Test func `a holder that has something else in memory is told, and one that has the same agrees`() async throws {
        let fixture = try await fixture()
        let state = try LedgerReading(home: fixture.home, world: fixture.world).state()
        let good = StateCheck.Witness(name: "holder", sequence: 4, digest: StateSnapshot.digest(of: state))
        #expect(try check(fixture, holder: good).agreeing.last == good)
        let bad = StateCheck.Witness(name: "holder", sequence: 4, digest: Fixture.digest())
        let report = try check(fixture, holder: bad)
        #expect(report.divergence?.witness == bad && report.divergence?.event == nil)
    }

    @Test func `a snapshot that can not be read is told, and folding goes on`() async throws {
        let fixture = try await fixture(snapshotAt: 2) { _ in }
        let path = fixture.home.path.appending("snapshots").appending("0000000000000002.snap")
        try fixture.disk.damage(path) { $0[100] ^= 1 }
        let report = try check(fixture)
        #expect(report.unreadable == ["the snapshot at event 2"] && report.divergence == nil && report.end == 4)
    }

    @Test func `an empty ledger agrees with itself`() async throws {
        let fixture = EngineFixture()
        await (try await fixture.open()).close()
        let report = try check(fixture)
        #expect(report.divergence == nil && report.events == 0 && report.end == .zero && report.agreeing.count == 1)
    }
}
