import LedgerAPI
import LedgerCoding
import LedgerTestSupport
import Testing

@testable import LedgerServer

/// Who gets a WebSocket, who keeps it, and what is told over it.
@Suite(.timeLimit(.minutes(30))) struct WebSocketRightTests {
    private func pong(_ client: WebSocketClient) async throws {
        try await client.send(SocketFrame(opcode: 9, payload: [7]))
        #expect(try await client.next() == SocketFrame(opcode: 10, payload: [7], isMasked: false))
    }

    @Test func `one more than there may be is told to come back, and its connection ends`() async throws {
        try await ServerFixture.run(
            .with {
                $0.works = false
                $0.server = {
                    $0.webSocketsMax = 1
                    $0.patience.lingerMillisecondsMax = 300
                }
            }
        ) { fixture in
            let first = try await WebSocketClient(fixture)
            #expect(first.answer.status == 101)
            let second = try await WebSocketClient(fixture, staysOpen: true)
            let answer = second.answer
            #expect(answer.status == 503 && answer["retry-after"] == "10" && answer["connection"] == "close")
            #expect(answer["content-type"] == "application/problem+json")
            // It keeps no connection, though its client does.
            while true { do { try await second.wire.send("x") } catch { break } }
            try await second.close()
            // Without a token being needed nobody gives way: who has said nothing least of all.
            try await pong(first)
            try await first.close()
            // Its place is free once the server saw its end.
            while true {
                let third = try await WebSocketClient(fixture)
                try await third.close()
                if third.answer.status == 101 { break }
            }
        }
    }

    @Test func `who has shown no token gives way to the next, and who has does not`() async throws {
        try await ServerFixture.run(
            .with {
                ($0.works, $0.scopes) = (false, [.read])
                $0.server = { $0.webSocketsMax = 2 }
            }
        ) { fixture in
            let token = try #require(fixture.tokens[.read])
            let known = try await WebSocketClient(fixture)
            #expect(try await known.call("aria2.getVersion", "token:\(token)")["result"] != nil)
            let silent = try await WebSocketClient(fixture)
            let guesser = try await WebSocketClient(fixture)
            #expect(try await silent.wire.end().isEmpty)
            #expect(try await guesser.call("aria2.getVersion", "token:wrong")["error"] != nil)
            let sure = try await WebSocketClient(fixture, [("Authorization", "Bearer \(token)")])
            #expect([known, silent, guesser, sure].allSatisfy { $0.answer.status == 101 })
            #expect(try await guesser.wire.end().isEmpty)
            try await pong(sure)
            #expect(try await WebSocketClient(fixture).answer.status == 503)
            for client in [known, sure] {
                try await pong(client)
                try await client.close()
            }
        }
    }

    /// Adds a download over HTTP, whose start and end are told.
    private func fetch(_ gid: String, _ fixture: ServerFixture) async throws {
        let token = try #require(fixture.tokens[.admin])
        let call: JSONValue = [
            "jsonrpc": "2.0", "id": "1", "method": "aria2.addUri",
            "params": ["token:\(token)", [.string(try fixture.url("/\(gid)"))], ["gid": .string(gid)]],
        ]
        #expect(try await fixture.ask("POST", "/jsonrpc", call).json["result"]?.text == gid)
    }

    @Test func `what happens is told to all, as aria2 does, also where a token is needed`() async throws {
        try await ServerFixture.run(.with { $0.scopes = [.read, .admin] }) { fixture in
            fixture.origin.otherwise { OriginEntity([1, 2, 3]).reply(to: $0) }
            let token = try #require(fixture.tokens[.read])
            let clients = [
                try await WebSocketClient(fixture),
                try await WebSocketClient(fixture, [("Cookie", "\(Gate.cookieName)=\(token)")]),
            ]
            let gid = "00000000000000a1"
            try await fetch(gid, fixture)
            for client in clients {
                #expect(try await client.told() == "aria2.onDownloadStart \(gid)")
                #expect(try await client.told() == "aria2.onDownloadComplete \(gid)")
                // That is all: what is asked needs a token.
                #expect(try await client.call("aria2.tellStatus", .string(gid))["error"] != nil)
                try await client.close()
            }
        }
    }

    @Test func `the first call over a WebSocket hears of what it did itself`() async throws {
        try await ServerFixture.run(.with { $0.scopes = [.admin] }) { fixture in
            fixture.origin.otherwise { OriginEntity([1, 2, 3]).reply(to: $0) }
            let token = try #require(fixture.tokens[.admin])
            let client = try await WebSocketClient(fixture)
            let gid = "00000000000000b1"
            let url = JSONValue.string(try fixture.url("/b"))
            let answer = try await client.call("aria2.addUri", "token:\(token)", [url], ["gid": .string(gid)])
            #expect(answer["result"]?.text == gid)
            #expect(try await client.told() == "aria2.onDownloadStart \(gid)")
            try await client.close()
        }
    }
}
