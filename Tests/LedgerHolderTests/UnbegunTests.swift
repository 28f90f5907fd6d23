import LedgerAPI
import LedgerModel
import LedgerSystem
import LedgerTestSupport
import Testing

@testable import LedgerHolder

struct UnbegunTests {
    @Test func `each is among them once, in one state, until it is taken out`() {
        var unbegun = Unbegun()
        let taken = ([2, 3, 7, 7, 5] as [UInt64]).map { unbegun.append(DownloadID($0), $0 == 3 ? .paused : .queued) }
        #expect(taken == [true, true, true, false, false])
        #expect(unbegun.count == 3 && unbegun.counts == [.queued: 2, .paused: 1])
        #expect(unbegun.contains(DownloadID(7)) && !unbegun.contains(DownloadID(5)))
        let changed = ([7, 4] as [UInt64]).map { unbegun.update(DownloadID($0), .waiting) }
        let removed = ([3, 3] as [UInt64]).map { unbegun.remove(DownloadID($0)) }
        #expect(changed == [true, false] && removed == [.paused, nil])
        #expect(!unbegun.contains(DownloadID(3)))
        #expect(unbegun.counts.filter { $0.value > 0 } == [.queued: 1, .waiting: 1] && unbegun.count == 2)
    }

    private typealias Look = (rows: [DownloadRow], unbegun: Unbegun?)

    /// Goes on to the next look that tells something.
    private func next(
        _ looks: inout AsyncStream<Look>.Iterator, isolation: isolated (any Actor)? = #isolation
    ) async throws -> (rows: [DownloadRow], counts: [DownloadState: Int]) {
        while let look = await looks.next(isolation: isolation) {
            guard !look.rows.isEmpty || look.unbegun != nil else { continue }
            return (look.rows, look.unbegun?.counts.filter { $0.value > 0 } ?? [:])
        }
        throw CancellationError()
    }

    @Test(.timeLimit(.minutes(5)))
    func `of a long queue what is no more than an order is counted, and has a row once it is more`() async throws {
        try await ServiceFixture.run { fixture in
            let many = 1_500
            func requests(_ numbers: Range<Int>) throws -> [EnqueueRequest] {
                try numbers.map { number in
                    var request = try fixture.request("/\(number)")
                    request.notBefore = Timestamp(rfc3339: "2199-01-01T00:00:00Z")
                    return request
                }
            }
            let ids = try await fixture.enqueue(requests(0..<many)).map(\.id)
            let (looks, look) = AsyncStream.makeStream(of: Look.self)
            let service = fixture.service
            let watching = Task {
                try await service.watchHere { rows, unbegun in
                    look.yield((rows, unbegun))
                    return true
                }
            }
            var seen = looks.makeAsyncIterator()
            func act(_ action: Action, _ selection: Selection) async throws {
                var generator = SystemRandomNumberGenerator()
                _ = try await service.act(action, on: selection, command: CommandID(using: &generator))
            }
            var now = try await next(&seen)
            #expect(now.rows.isEmpty && now.counts == [.waiting: many])
            // One has a row, many have none: those that are new are counted with the others.
            let one = try await fixture.enqueue(requests(many..<many + 1))[0].id
            now = try await next(&seen)
            #expect(now.rows.map(\.id) == [one] && now.counts == [:])
            _ = try await fixture.enqueue(requests(many + 1..<2 * many + 1))
            now = try await next(&seen)
            #expect(now.rows.isEmpty && now.counts == [.waiting: 2 * many])
            try await act(.cancel, .ids([ids[0]]))
            now = try await next(&seen)
            #expect(now.rows.map(\.id) == [ids[0]] && now.rows.map(\.state) == [.cancelled])
            // What has its row keeps it, and the one that ended is not waited for any longer.
            try await act(.pause, .all)
            now = try await next(&seen)
            #expect(now.rows.map(\.id) == [one] && now.rows.map(\.state) == [.paused])
            #expect(now.counts == [.paused: 2 * many - 1])
            watching.cancel()
            try await watching.value
        }
    }
}
