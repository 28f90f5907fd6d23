import HTTPTypes
import Hummingbird
import LedgerAPI
import LedgerTestSupport
import NIOCore
import Testing

@testable import LedgerServer

/// What the server says in its log of clients that misbehave: nothing, or they could fill it.
@Suite(.timeLimit(.minutes(30))) struct ServerLogTests {
    @Test func `whom it has no room for, and who is cut when it ends, is no error of the server`() async throws {
        let log = RecordedLog()
        try await ServerFixture.run(
            .with {
                $0.works = false
                $0.server = { server in
                    server.webSocketsMax = 1
                    server.logger = log.logger
                }
            }
        ) { fixture in
            let (first, second) = (try await WebSocketClient(fixture), try await WebSocketClient(fixture))
            #expect(first.answer.status == 101 && second.answer.status == 503)
            let half = try await fixture.connect()
            let fields = [("Content-Type", "application/json"), ("Content-Length", "9"), ("Expect", "100-continue")]
            try await half.send(fixture.head("POST", "/v1/downloads", fields))
            #expect(try #require(try await half.take { bytes, _ in try Answer.head(&bytes) }).status == 100)
            await fixture.server.stop()
            _ = try await half.end()
            for wire in [first.wire, second.wire, half] { try await wire.close() }
        }
        #expect(!log.lines.contains { $0.hasPrefix("error") || $0.hasPrefix("critical") })
    }

    @Test func `a body that breaks off is no error of the server`() async throws {
        let body = AsyncThrowingStream<ByteBuffer, any Error> { continuation in
            continuation.yield(ByteBuffer(string: #"{"url""#))
            continuation.finish(throwing: ChannelError.inputClosed)
        }
        let head = HTTPRequest(method: .post, scheme: nil, authority: nil, path: "/v1/downloads")
        let call = Call(
            request: Request(head: head, body: RequestBody(asyncSequence: body)), parameters: Parameters(),
            scope: .write, address: "127.0.0.1", bodyBytesMax: 100,
            share: BodyBudget.Share(of: BodyBudget(bytesMax: 100)), random: { 0 })
        let refusal = await #expect(throws: Refusal.self) { try await call.body() }
        #expect(refusal?.status == .badRequest)
    }
}
