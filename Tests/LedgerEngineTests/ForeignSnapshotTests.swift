import LedgerAPI
import LedgerLog
import LedgerModel
import LedgerSystem
import LedgerTestSupport
import SystemPackage
import Testing

@testable import LedgerEngine

/// A snapshot that is whole, and of another history than the log: of a copy that went its own way.
struct ForeignSnapshotTests {
    /// A ledger of these orders, compacted and closed, with a snapshot of its end, and the state there.
    private func fixture(_ names: String..., dropping: Bool) async throws -> (EngineFixture, LedgerState) {
        let fixture = EngineFixture()
        let ledger = try await fixture.open()
        for name in names { _ = try await fixture.enqueue(ledger, name) }
        var request = CompactRequest()
        request.keepEvents = 0
        request.drops = dropping
        _ = try await ledger.compact(request)
        let state = try await ledger.read { $0 }
        await ledger.close()
        return (fixture, state)
    }

    /// Puts the states of another history into the places of all snapshots.
    private func forge(_ fixture: EngineFixture, from other: EngineFixture) throws {
        let directory = fixture.home.path.appending("snapshots")
        let names = try fixture.disk.list(directory)
        #expect(!names.isEmpty)
        var log = try WriteAheadLog.open(at: fixture.home.path, fileSystem: fixture.disk, random: fixture.world.random)
        for name in names {
            let sequence = try #require(UInt64(name.prefix(16)))
            let state = try LedgerReading(home: other.home, world: other.world).state(
                at: .sequence(SequenceNumber(sequence)))
            var prover = try LogProver(home: other.home.path, fileSystem: other.disk)
            let root = try prover.head().size == sequence ? prover.head().root : TreeHash.zero
            try log.saveSnapshot(StateSnapshot.snapshot(of: state, root: root))
        }
        try log.close()
    }

    @Test func `where the archive has all of it, it is passed over`() async throws {
        let (fixture, state) = try await fixture("a", "b", "c", dropping: false)
        let (other, theirs) = try await self.fixture("x", "y", "z", dropping: false)
        #expect(state.sequence == theirs.sequence && state != theirs)
        try forge(fixture, from: other)
        #expect(try LedgerReading(home: fixture.home, world: fixture.world).state() == state)
        let ledger = try await fixture.open()
        #expect(try await ledger.read { $0 } == state)
        await ledger.close()
    }

    @Test func `where it stands for what is gone, nothing is shown, and nothing is built on it`() async throws {
        let (fixture, _) = try await fixture("a", "b", "c", dropping: true)
        let (other, _) = try await self.fixture("x", "y", "z", dropping: true)
        try forge(fixture, from: other)
        func expectTampered(_ error: LedgerError) {
            guard case .log(let cause) = error else { return #expect(Bool(false), "\(error)") }
            #expect(cause.code == .tampered && cause.file?.hasSuffix(".snap") ?? false)
        }
        do throws(LedgerError) {
            _ = try LedgerReading(home: fixture.home, world: fixture.world).state()
            #expect(Bool(false), "it was shown")
        } catch { expectTampered(error) }
        do throws(LedgerError) {
            await (try await fixture.open()).close()
            #expect(Bool(false), "it was opened")
        } catch { expectTampered(error) }
    }
}
