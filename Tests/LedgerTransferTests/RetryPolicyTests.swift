import LedgerModel
import LedgerTestSupport
import Testing

@testable import LedgerTransfer

@Suite struct RetryPolicyTests {
    let now = Timestamp(milliseconds: 1_000_000)

    struct Row: Sendable {
        let failures: UInt32
        let bound: Duration
        let location: SourceLocation

        init(_ failures: UInt32, _ bound: Duration, location: SourceLocation = #_sourceLocation) {
            self.failures = failures
            self.bound = bound
            self.location = location
        }
    }

    @Test(arguments: [
        Row(1, .milliseconds(250)), Row(2, .seconds(1)), Row(3, .seconds(2)), Row(4, .seconds(4)),
        Row(10, .seconds(256)), Row(11, .seconds(300)), Row(4_000_000_000, .seconds(300)),
    ])
    func `the bound of a wait doubles up to its cap, and jitter takes a part of it`(row: Row) {
        let policy = RetryPolicy()
        #expect(policy.delay(afterFailure: row.failures, jitter: 0) == .zero, sourceLocation: row.location)
        #expect(policy.delay(afterFailure: row.failures, jitter: 0.5) == row.bound / 2, sourceLocation: row.location)
    }

    @Test func `a curve of one's own grows by its factor, and no wait is longer than its cap`() {
        let policy = RetryPolicy(first: .seconds(5), base: .seconds(15), cap: .seconds(60), factor: 3)
        let bounds = (1...5).map { policy.delay(afterFailure: $0, jitter: 0.5) * 2 }
        #expect(bounds == [.seconds(5), .seconds(15), .seconds(45), .seconds(60), .seconds(60)])
        let short = RetryPolicy(first: .seconds(5), cap: .seconds(2), factor: 1)
        let waits = (1...3).map { short.delay(afterFailure: $0, jitter: 0.5) * 2 }
        #expect(waits == [.seconds(2), .seconds(1), .seconds(1)])
    }

    @Test func `retries end when they are used up, and permanent failures are never made again`() {
        let policy = RetryPolicy()
        let passing = Failure(.silence, "", isRetryable: true)
        func at(_ failure: Failure, before: UInt32, own: UInt32? = nil) -> Timestamp? {
            policy.retryAt(after: failure, failuresBefore: before, retriesMax: own, now: now, jitter: 0)
        }
        #expect(at(passing, before: 4) == now)
        #expect(at(passing, before: 5) == nil)
        #expect(at(passing, before: 0, own: 0) == nil)
        #expect(at(Failure(.status, "", isRetryable: false), before: 0) == nil)
    }

    @Test func `what the origin asks is waited for, and a full disk is asked again without counting`() {
        var busy = Failure(.status, "", isRetryable: true, status: 503)
        busy.retryAfterSeconds = 120
        let policy = RetryPolicy()
        let at = policy.retryAt(after: busy, failuresBefore: 2, retriesMax: nil, now: now, jitter: 0.5)
        #expect(at == now.advanced(by: .seconds(121)))
        let full = Failure(.diskFull, "", isRetryable: true)
        let again = policy.retryAt(after: full, failuresBefore: 99, retriesMax: nil, now: now, jitter: 0.5)
        #expect(again == now.advanced(by: .seconds(30)))
        // Who wants no attempt made again waits for no room either.
        #expect(policy.retryAt(after: full, failuresBefore: 0, retriesMax: 0, now: now, jitter: 0.5) == nil)
    }

    @Test func `attempts that bring hardly anything are counted until one brings more`() {
        let (crawling, enough) = (CrawlingDownloads(), WorkerStateMachine.continuationBytesMin)
        #expect((1...3).map { _ in crawling.note(1, bytes: 1) } == [1, 2, 3])
        #expect(crawling.note(1, bytes: 0) == 3)
        #expect(crawling.note(2, bytes: enough - 1) == 1)
        #expect(crawling.note(1, bytes: enough) == 0)
        #expect(crawling.note(1, bytes: 1) == 1)
        for id in 10..<UInt64(10 + CrawlingDownloads.downloadsMax) {
            #expect(crawling.note(DownloadID(id), bytes: 1) == 1)
        }
    }
}
