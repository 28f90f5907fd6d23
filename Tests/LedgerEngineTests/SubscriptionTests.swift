import LedgerAPI
import LedgerEngine
import LedgerModel
import LedgerTestSupport
import Testing

/// Following a ledger: everything from a point on, or the reason why not.
struct SubscriptionTests {
    @Test func `a follower that asks for what was compacted away is told, and not handed a gap`() async throws {
        let fixture = EngineFixture()
        let first = try await fixture.open()
        _ = try await fixture.enqueue(first, "a", "b")
        var request = CompactRequest()
        request.keepEvents = 0
        #expect(try await first.compact(request).through == 2)
        await first.close()
        // In a new process nothing is in memory, so the log is read.
        let second = try await fixture.open()
        var rest = second.events(after: 2).makeAsyncIterator()
        #expect(try await rest.next()?.map(\.sequence) == [3])
        var all = second.events(after: 0).makeAsyncIterator()
        let error = await #expect(throws: LedgerError.self) { try await all.next() }
        guard case .compacted(.sequence(1), through: 2, missing: _)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        await second.close()
    }
}
