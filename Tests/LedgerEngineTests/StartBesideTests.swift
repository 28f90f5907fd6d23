import LedgerAPI
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
        let ledger = try await fixture.openWithSnapshots()
        _ = try await fixture.enqueue(ledger, "a", "b", "c")
        _ = try await fixture.enqueue(ledger, "d")
        let state = try await ledger.read { $0 }
        await ledger.close()
        return state
    }

    private var reading: LedgerReading { LedgerReading(home: fixture.home, world: fixture.world) }
    private var start: FoldStart? { reading.startBeside(bytesMin: 1)?.take() ?? nil }

    /// Turns a bit in the middle of the newest snapshot.
    private func damage() throws {
        let name = try #require(try fixture.disk.list("/ledger/snapshots").max())
        let path = FilePath("/ledger/snapshots").appending(name)
        var bytes = try #require(try fixture.disk.contents(of: path))
        bytes[bytes.count / 2] ^= 1
        try fixture.disk.replaceContents(of: path, with: bytes, permissions: 0o600)
    }

    @Test func `what comes behind the snapshot is folded onto it`() async throws {
        let state = try await close()
        let start = try #require(start)
        #expect(start.state.sequence == 3)
        #expect(try reading.state(from: start, through: state.sequence) == state)
        #expect(reading.startBeside() == nil, "a short one is not worth a thread")
    }

    @Test func `without a snapshot that can be read, the log is folded`() async throws {
        let state = try await close()
        try damage()
        #expect(start?.state.sequence == .zero)
        #expect(try reading.state(from: start, through: state.sequence) == state)
        #expect(try reading.state(from: nil, through: state.sequence) == state)
    }

    @Test func `what stands for the archive and is damaged is read from there`() async throws {
        // No snapshot but the one that the compaction makes.
        let ledger = try await fixture.openWithSnapshots(everyEvents: 1 << 20)
        for name in ["a", "b", "c", "d", "e", "f", "g"] { _ = try await fixture.enqueue(ledger, name) }
        var request = CompactRequest()
        request.keepEvents = 0
        _ = try await ledger.compact(request)
        let state = try await ledger.read { $0 }
        await ledger.close()
        try damage()
        #expect(start == nil, "what is left in the log begins behind it")
        #expect(try reading.state(from: start, through: state.sequence) == state)
    }

    @Test func `a long queue is the same when it is opened again, and is refused with a damaged log`() async throws {
        let ledger = try await fixture.openWithSnapshots(everyEvents: 3 * 4096)
        let chance = SharedChance(seed: 9)
        // Three parts of the snapshot, whole, and what no packing makes shorter than a megabyte.
        let names = (0..<3 * 4096).map { number in
            (0..<16).reduce("\(number)") { text, _ in text + "-" + String(chance.source(), radix: 36) }
        }
        for start in stride(from: 0, to: names.count, by: 1024) {
            var submissions: [Submission] = []
            for name in names[start..<start + 1024] {
                let order = try fixture.order(name)
                submissions.append(Submission(.enqueue(order, priority: 0, again: false), id: nil, actor: .cli))
            }
            _ = try await ledger.execute(submissions)
        }
        let state = try await ledger.read { $0 }
        await ledger.close()
        let beside = try #require(reading.startBeside()?.take() ?? nil)
        #expect(beside.state.queue.downloads.count == names.count && beside.state.queue.invariantViolation() == nil)
        #expect(try reading.state(from: beside, through: state.sequence) == state)

        let again = try await fixture.openWithSnapshots()
        await again.prepareIndexes()
        let url = try fixture.order(names[5000]).url
        let (opened, found) = try await again.read { ($0, $0.queue.downloads(from: url)) }
        #expect(opened == state && found.map(\.id.rawValue) == [5001])
        await again.close()

        let segment = try #require(try fixture.disk.list("/ledger/log").max())
        let path = FilePath("/ledger/log").appending(segment)
        var bytes = try #require(try fixture.disk.contents(of: path))
        // Its header: behind the snapshot nothing else stands in it.
        bytes[20] ^= 1
        try fixture.disk.replaceContents(of: path, with: bytes, permissions: 0o600)
        await #expect(throws: LedgerError.self) { try await fixture.openWithSnapshots() }
    }
}
