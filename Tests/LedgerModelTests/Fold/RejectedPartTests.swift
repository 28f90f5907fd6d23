import LedgerModel
import LedgerTestSupport
import Testing

struct RejectedPartTests {
    private func failed(_ order: Order, _ code: Failure.Code = .digestMismatch) throws -> Download {
        var queue = Queue()
        let mismatch = Failure(code, "not what was expected", isRetryable: false)
        let facts: [Fact] = [
            .enqueued(order, rank: 1), .about(1, .resolved(Fixture.origin(), generation: 1)),
            .about(1, .progressed(ByteRangeSet(0..<10), sums: [7])), .about(1, .failed(mismatch, retryAt: nil)),
        ]
        for fact in facts { queue.apply(fact.recorded(after: queue.sequence)) }
        return try #require(queue[1])
    }

    @Test func `a part that was moved aside for its digest is claimed no longer`() throws {
        let download = try failed(Fixture.order())
        #expect(download.phase == .failed)
        #expect(download.durable.isEmpty && download.sums.isEmpty)
    }

    @Test func `a part stays claimed through other failures`() throws {
        let download = try failed(Fixture.order(), .status)
        #expect(download.durable == ByteRangeSet(0..<10) && download.sums == [7])
    }

    @Test func `right pieces stay when one of them is not to be had`() throws {
        var order = Fixture.order()
        order.pieces = Shared(
            try #require(PieceHashes(.sha1, pieceLength: 10, bytes: Array(repeating: 0, count: 40))))
        #expect(try failed(order).durable == ByteRangeSet(0..<10))
    }
}
