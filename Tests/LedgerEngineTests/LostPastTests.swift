import LedgerLog
import LedgerModel
import LedgerSystem
import LedgerTestSupport
import SystemPackage
import Testing

@testable import LedgerEngine

/// A ledger whose log is damaged in front of a snapshot goes on with all that it knew.
@Suite struct LostPastTests {
    private let fixture = EngineFixture()

    private var segments: [String] {
        get throws { try fixture.disk.list("/ledger/log").filter { $0.hasSuffix(".seg") }.sorted() }
    }

    @Test func `damage in front of a snapshot costs the story, and nothing that is known`() async throws {
        var ledger = try await fixture.openWithSnapshots()
        _ = try await fixture.enqueue(ledger, "a", "b", "c")
        _ = try await fixture.enqueue(ledger, "d")
        let before = try await ledger.read { $0 }
        await ledger.close()
        #expect(try segments == ["0000000000000001.seg", "0000000000000004.seg"], "it ends with the snapshot")
        let path = FilePath("/ledger/log/0000000000000001.seg")
        var bytes = try #require(try fixture.disk.contents(of: path))
        for place in 100..<140 { bytes[place] ^= 0x5a }
        try fixture.disk.replaceContents(of: path, with: bytes, permissions: 0o600)

        let repair = LedgerRepair(home: fixture.home, world: fixture.world)
        let plan = try #require(try repair.examine())
        #expect(plan.past?.records == [1...3] && plan.past?.snapshot == 3 && plan.recordsLost == 0)
        #expect(try await repair.run().last == 5)
        #expect(try repair.examine() == nil)
        ledger = try await fixture.openWithSnapshots()
        let after = try await ledger.read { $0 }
        #expect(StateSnapshot.digest(of: after) == StateSnapshot.digest(of: before))
        _ = try await fixture.enqueue(ledger, "e")
        await ledger.close()
        var verifier = LogVerifier(home: fixture.home.path, fileSystem: fixture.disk)
        #expect(try verifier.run().findings.isEmpty)
        #expect(try fixture.disk.list("/ledger/quarantine").contains("0000000000000001.seg-0.cut"))
    }

    @Test func `closing behind much that happened ends the segment too`() async throws {
        let ledger = try await fixture.openWithSnapshots(everyEvents: 1 << 20)
        let names = (0...Int(Ledger.snapshotLagEventsMax)).map(String.init)
        for start in stride(from: 0, to: names.count, by: 4_096) {
            _ = try await fixture.enqueue(ledger, Array(names[start..<min(start + 4_096, names.count)]))
        }
        await ledger.close()
        #expect(try segments.count == 2)
        #expect(try fixture.disk.list("/ledger/snapshots").count == 1)
    }
}
