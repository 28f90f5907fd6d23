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
        request.drops = true
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

    @Test func `a follower is handed what was archived, up to what was dropped behind it`() async throws {
        let fixture = EngineFixture()
        var ledger = try await fixture.open()
        _ = try await fixture.enqueue(ledger, "a", "b")
        var request = CompactRequest()
        request.keepEvents = 0
        #expect(try await ledger.compact(request).through == 2)
        await ledger.close()
        ledger = try await fixture.open()
        var all = ledger.events(after: 0).makeAsyncIterator()
        var told: [SequenceNumber] = []
        while told.count < 3, let events = try await all.next() { told += events.map(\.sequence) }
        #expect(told == [1, 2, 3])
        _ = try await fixture.enqueue(ledger, "c")
        request.drops = true
        #expect(try await ledger.compact(request).through == 4)
        await ledger.close()
        ledger = try await fixture.open()
        var early = ledger.events(after: 1).makeAsyncIterator()
        #expect(try await early.next()?.map(\.sequence) == [2])
        let error = await #expect(throws: LedgerError.self) { try await early.next() }
        guard case .compacted(.sequence(3), through: 4, missing: _)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        await ledger.close()
    }
}
