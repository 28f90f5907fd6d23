import LedgerAPI
import LedgerEngine
import LedgerLog
import LedgerModel
import LedgerTestSupport
import Synchronization
import SystemPackage
import Testing

/// Checkpoints now and then, by the world's clock.
struct CheckpointKeeperTests {
    @Test func `one is written each period in which something happened, and none in others`() async throws {
        let fixture = EngineFixture()
        let ledger = try await fixture.open()
        _ = try await fixture.enqueue(ledger, "a")
        let keeper = CheckpointKeeper(ledger: ledger, directory: "/kept/below")
        #expect(try await keeper.write()?.head.size == 1)
        #expect(try await keeper.write() == nil)
        #expect(ledger.lastSequence == SequenceNumber(2))
        #expect(try fixture.disk.list("/kept/below") == ["0000000000000001.checkpoint"])
        let text = try #require(try fixture.contents("/kept/below/0000000000000001.checkpoint"))
        #expect(String(decoding: text, as: UTF8.self).hasPrefix("ledger/\(ledger.identity)\n1\n"))
        _ = try await fixture.enqueue(ledger, "b")
        let failures = Mutex(0)
        let keeping = Task {
            await keeper.run(every: .seconds(3600)) { _ in failures.withLock { $0 += 1 } }
        }
        try await fixture.clock.passes(every: .seconds(600)) {
            try await fixture.clock.sleep(until: fixture.clock.uptime() + .seconds(4 * 3600))
        }
        keeping.cancel()
        await keeping.value
        #expect(try fixture.disk.list("/kept/below").count == 2)
        #expect(failures.withLock { $0 } == 0)
        await ledger.close()
        let survivor = EngineFixture(fixture.disk.survivorOfTheWorst())
        #expect(try survivor.disk.list("/kept/below").count == 2, "they are durable under their names")
    }
}
