import LedgerAPI
import LedgerLog
import LedgerModel
import LedgerTestSupport
import Testing

@testable import LedgerEngine

/// Reading a log ahead of whoever folds it tells what reading it batch by batch tells.
struct ReadAheadTests {
    /// A closed ledger of so many orders, each in a batch of its own.
    private func fixture(_ count: Int) async throws -> EngineFixture {
        let fixture = EngineFixture()
        let ledger = try await fixture.open()
        for number in 1...count { _ = try await fixture.enqueue(ledger, "file-\(number)-") }
        await ledger.close()
        return fixture
    }

    private func reader(_ fixture: EngineFixture) throws(LedgerError) -> EventReader {
        try EventReader(home: fixture.home, fileSystem: fixture.disk, after: .zero)
    }

    @Test func `every batch is read, in order, with the events it has`() async throws {
        let count = 2 * EventReader.eventsAtOnceMin + 7
        let fixture = try await fixture(count)
        var (one, ahead) = (try reader(fixture), [Recorded]())
        try reader(fixture).readAhead { batch throws(LedgerError) in
            ahead += batch.events
            return true
        }
        var events: [Recorded] = []
        while let batch = try one.next() { events += batch.events }
        #expect(ahead == events && events.count == count)
    }

    @Test func `what stands before damage is read, and damage behind what is wanted troubles nobody`() async throws {
        let fixture = try await fixture(4)
        try fixture.disk.damage(LogHome(fixture.home.path).segment(SequenceNumber(1))) { bytes in
            guard let name = bytes.firstRange(of: Array("file-4-".utf8)) else { return }
            bytes[name.lowerBound] ^= 1
        }
        var taken: [SequenceNumber] = []
        #expect(throws: LedgerError.self) {
            try reader(fixture).readAhead { batch throws(LedgerError) in
                taken.append(batch.last)
                return true
            }
        }
        #expect(taken == [1, 2, 3])
        taken = []
        try reader(fixture).readAhead { batch throws(LedgerError) in
            taken.append(batch.last)
            return taken.count < 3
        }
        #expect(taken == [1, 2, 3])
    }
}
