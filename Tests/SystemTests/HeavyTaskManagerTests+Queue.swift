import AppTestSupport
import DownloadLedger
import FoundationEssentials
import LedgerTestSupport
import Testing

extension HeavyTaskManagerTests {
    /// Who gives way in a queue of three that is full when a fourth comes: a runs, b and c wait in that order.
    struct Full: Sendable, CustomTestStringConvertible {
        let order: LedgerConfiguration.Order
        let overflow: LedgerConfiguration.Overflow
        /// The one that is told so; d is refused at once, the others end with an error.
        let gives: String
        /// Those that are fetched, in order.
        let fetched: [String]

        var testDescription: String { "\(order.rawValue), \(overflow.rawValue)" }

        static let cases = [
            Full(order: .fifo, overflow: .refuse, gives: "/d", fetched: ["/a", "/b", "/c"]),
            Full(order: .fifo, overflow: .evictOldest, gives: "/b", fetched: ["/a", "/c", "/d"]),
            Full(order: .fifo, overflow: .evictNewest, gives: "/c", fetched: ["/a", "/b", "/d"]),
            Full(order: .lifo, overflow: .refuse, gives: "/d", fetched: ["/a", "/c", "/b"]),
            Full(order: .lifo, overflow: .evictOldest, gives: "/b", fetched: ["/a", "/d", "/c"]),
            Full(order: .lifo, overflow: .evictNewest, gives: "/c", fetched: ["/a", "/d", "/b"]),
        ]
    }

    @Test(arguments: Full.cases)
    func `the queue and what runs are limited; the order is FIFO or LIFO, and who does not fit is told so`(
        full: Full
    ) async throws {
        try await AppFixture.run(
            runningMax: 1,
            configured: .by { ($0.queuedMax, $0.order, $0.overflow) = (3, full.order, full.overflow) }
        ) { app in
            let gate = OriginGate()
            app.serve("/a", [1], holdingAt: gate)
            var handles: [String: DownloadHandle] = [:]
            handles["/a"] = try await app.ledger.enqueue(try app.url("/a"))
            await gate.reached()
            for path in ["/b", "/c"] {
                app.serve(path, [2])
                handles[path] = try await app.ledger.enqueue(try app.url(path))
            }
            #expect(try await app.counts() == [.running: 1, .queued: 2])
            app.serve("/d", [3])
            let url = try app.url("/d")
            let refusal = await failure { () throws(DownloadError) in
                handles["/d"] = try await app.ledger.enqueue(url)
            }
            if full.gives == "/d" {
                #expect(refusal?.code == "queue-full" && refusal?.category == .ledger)
            } else {
                #expect(refusal == nil)
                let given = try #require(handles[full.gives])
                let error = await failure { () throws(DownloadError) in try await given.value }
                #expect(error?.code == "evicted" && error?.category == .givenUp)
            }
            gate.open()
            for path in full.fetched { _ = try await #require(handles[path]).value }
            #expect(app.requested == full.fetched)
        }
    }

    @Test func `whoever comes last runs first, and undo takes back what a user did and not that`() async throws {
        try await AppFixture.run(runningMax: 0, configured: .by { $0.order = .lifo }) { app in
            let handles = try await app.ledger.enqueue(
                try ["/a", "/b", "/c"].map { DownloadRequest(try app.url($0)) }
            ).map { try $0.get() }
            #expect(try await app.ledger.downloads(.queue).map(\.id) == handles.reversed().map(\.id))
            try await app.ledger.cancel(handles[0].id)
            let last = try await app.ledger.enqueue(try app.url("/d"))
            #expect(try await app.ledger.undo().map(\.id) == [handles[0].id])
            #expect(
                try await app.ledger.downloads(.queue).map(\.id)
                    == [last, handles[2], handles[1], handles[0]].map(\.id))
        }
    }
}
