import LedgerModel
import LedgerTestSupport
import Testing

struct RejectedPartTests {
    @Test func `a part that was moved aside for its digest is claimed no longer`() throws {
        var queue = Queue()
        let mismatch = Failure(.digestMismatch, "not what was expected", isRetryable: false)
        let facts: [Fact] = [
            .enqueued(Fixture.order(), rank: 1), .about(1, .resolved(Fixture.origin(), generation: 1)),
            .about(1, .progressed(ByteRangeSet(0..<10))), .about(1, .failed(mismatch, retryAt: nil)),
        ]
        for fact in facts { queue.apply(fact.recorded(after: queue.sequence)) }
        let download = try #require(queue[1])
        #expect(download.phase == .failed)
        #expect(download.durable.isEmpty)
    }
}
