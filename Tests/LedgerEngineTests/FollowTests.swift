import LedgerEngine
import LedgerModel
import LedgerSystem
import LedgerTestSupport
import SystemPackage
import Testing

@testable import LedgerEngine

/// Following a ledger while its disk fails.
struct FollowTests {
    /// More than a hub keeps in memory.
    private let many = (0...EventHub.recentEventsMax).map { "n\($0)" }

    @Test func `who only has to know is woken by more than memory holds, though nothing can be read`() async throws {
        let fixture = EngineFixture()
        let ledger = try await fixture.open()
        var batches = ledger.events(after: 0).makeAsyncIterator()
        _ = try await fixture.enqueue(ledger, many)
        fixture.disk.inject(SimulatedFault(.open, .tooManyOpenFiles, forGood: true))
        var reading = batches
        await #expect(throws: LedgerError.self) { try await reading.next() }
        #expect(await batches.nextAtHand() == [])
        _ = try await fixture.enqueue(ledger, "last")
        #expect(await batches.nextAtHand()?.count == 1)
        fixture.disk.clearFaults()
        // One that reads goes on where it was.
        #expect(try await reading.next()?.first?.sequence == 1)
        await ledger.close()
        #expect(await batches.nextAtHand() == nil)
    }

    @Test(arguments: [1, 3, 1000]) func `a stretch of the log is handed over in parts`(eventsMax: Int) async throws {
        let fixture = EngineFixture()
        var ledger = try await fixture.open()
        _ = try await fixture.enqueue(ledger, "a", "b", "c", "d")
        _ = try await fixture.enqueue(ledger, "e", "f")
        await ledger.close()
        ledger = try await fixture.open()
        var (told, parts) = ([SequenceNumber](), [Int]())
        var batches = ledger.events(after: 1, pageEventsMax: eventsMax).makeAsyncIterator()
        while told.count < 5, let events = try await batches.next() {
            told += events.map(\.sequence)
            parts.append(events.count)
        }
        #expect(told == [2, 3, 4, 5, 6])
        #expect(parts.allSatisfy { $0 <= eventsMax } && parts.first == min(eventsMax, 5))
        await ledger.close()
    }

    @Test func `what could not be read, or dealt with, comes again, and nothing twice behind it`() async throws {
        let fixture = EngineFixture()
        var ledger = try await fixture.open()
        _ = try await fixture.enqueue(ledger, "a", "b")
        await ledger.close()
        ledger = try await fixture.open()
        fixture.disk.inject(SimulatedFault(.open, .tooManyOpenFiles))
        let (stream, told) = AsyncStream.makeStream(of: [SequenceNumber].self)
        let opened = ledger
        let following = Task {
            var failures = 1
            await opened.follow(after: 0, as: "test") { batch throws(LedgerError) in
                told.yield(batch.map(\.sequence))
                failures -= 1
                if failures == 0 { throw .file(FileError("write", "/d", .noSpace)) }
            }
            told.finish()
        }
        try await fixture.clock.passes {
            var batches = stream.makeAsyncIterator()
            #expect(await batches.next() == [1, 2])
            #expect(await batches.next() == [1, 2])
            _ = try await fixture.enqueue(opened, "c")
            #expect(await batches.next() == [3])
        }
        await ledger.close()
        await following.value
    }
}
