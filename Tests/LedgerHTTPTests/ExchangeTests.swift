import Foundation
import HTTPTypes
import LedgerModel
import LedgerTestSupport
import LedgerTransfer
import Synchronization
import Testing

@testable import DownloadLedgerURLSession

#if canImport(FoundationNetworking)
    import FoundationNetworking

    /// What arrives faster than it is taken, where URLSession can not be held back.
    struct ExchangeTests {
        private final class Counter: BodySink {
            let count = Mutex(0)

            func write(_ bytes: RawSpan) throws(Failure) -> Duration {
                count.withLock { $0 += bytes.byteCount }
                return .zero
            }

            func pause() -> Duration { .zero }
        }

        @Test func `an answer is ended once too much of it waits, and what waited is taken`() async throws {
            let exchange = Exchange()
            let url = try #require(URL(string: "http://example.org/a"))
            let task = URLSession.shared.dataTask(with: url)
            let head = try #require(
                HTTPURLResponse(
                    url: url, statusCode: 200, httpVersion: nil, headerFields: ["Content-Length": "100000000"]))
            exchange.head(head)
            let chunk = Data(count: 1 << 20)
            for _ in 0..<20 { exchange.body(chunk, of: task) }
            exchange.end(URLError(.cancelled), head)
            let sink = Counter()
            let request = TransferRequest(
                url: try ResourceURL.parse(url.absoluteString).url, fields: [:],
                route: TransferRequest.Route(silenceMillisecondsMax: 1000))
            await #expect {
                try await exchange.hand(over: request) { _ throws(Failure) in sink }
            } throws: { error in
                (error as? Failure)?.code == .connectionLost && (error as? Failure)?.isRetryable == true
            }
            #expect(sink.count.withLock { $0 } == Exchange.heldBytesMax + chunk.count)
        }
    }
#endif
