import LedgerLog
import LedgerModel
import LedgerSystem
import LedgerTestSupport
import SystemPackage
import Testing

@testable import LedgerEngine

/// The snapshot is read while the log is recovered, and the rest folded onto it.
@Suite struct StartBesideTests {
    private let fixture = EngineFixture()

    /// A ledger with a snapshot, and one event behind it.
    private func close() async throws -> LedgerState {
        let milestones = Milestones(stepEvents: 3, countMax: 2)
        let ledger = try await Ledger.open(fixture.home, world: fixture.world, milestones: milestones)
        _ = try await fixture.enqueue(ledger, "a", "b", "c")
        _ = try await fixture.enqueue(ledger, "d")
        let state = try await ledger.read { $0 }
        await ledger.close()
        return state
    }

    private var reading: LedgerReading { LedgerReading(home: fixture.home, world: fixture.world) }

    @Test func `what comes behind the snapshot is folded onto it`() async throws {
        let state = try await close()
        let start = try #require(reading.startBeside(bytesMin: 1)?.take() ?? nil)
        #expect(start.sequence == 3)
        #expect(try reading.state(from: start, through: state.sequence) == state)
        #expect(reading.startBeside() == nil, "a short one is not worth a thread")
    }

    @Test func `without a snapshot that can be read, the log is folded`() async throws {
        let state = try await close()
        let name = try #require(try fixture.disk.list("/ledger/snapshots").first)
        let path = FilePath("/ledger/snapshots").appending(name)
        var bytes = try #require(try fixture.disk.contents(of: path))
        bytes[bytes.count / 2] ^= 1
        try fixture.disk.replaceContents(of: path, with: bytes, permissions: 0o600)
        let start = reading.startBeside(bytesMin: 1)?.take() ?? nil
        #expect(start?.sequence == .zero)
        #expect(try reading.state(from: start, through: state.sequence) == state)
        #expect(try reading.state(from: nil, through: state.sequence) == state)
    }
}
