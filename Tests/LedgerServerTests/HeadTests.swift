import LedgerAPI
import LedgerCoding
import LedgerEngine
import LedgerServer
import LedgerTestSupport
import Testing

/// Heads that are unusual: each is answered once, and as it should be.
@Suite(.timeLimit(.minutes(30))) struct HeadTests {
    /// Everything that comes for a request whose connection is closed after it.
    private func whole(_ head: String, _ fixture: ServerFixture) async throws -> String {
        let wire = try await fixture.connect()
        try await wire.send(head.replacing("\n", with: "\r\n") + "\r\n\r\n")
        let text = String(decoding: try await wire.end(), as: UTF8.self)
        try await wire.close()
        return text
    }

    private func host(_ fixture: ServerFixture) -> String { "Host: \(fixture.server.address)\nConnection: close" }

    @Test(arguments: ["foo", "h2c", "websocket", "h2c, websocket"])
    func `a wish for another protocol that is not granted is as if it were not there`(_ name: String) async throws {
        try await ServerFixture.run(.idle) { fixture in
            let head = "GET /healthz HTTP/1.1\nHost: \(fixture.server.address)\nConnection: Upgrade\nUpgrade: \(name)"
            let text = try await whole(head, fixture)
            #expect(text.hasPrefix("HTTP/1.1 200 ") && text.hasSuffix("ok\n"), "\(text)")
        }
    }

    @Test(arguments: ["/healthz", "/", "/v1/downloads", "/none", "/metrics", "/v1/downloads/9"])
    func `HEAD is answered as GET is, and without a body`(_ path: String) async throws {
        try await ServerFixture.run(.idle) { fixture in
            let text = try await whole("HEAD \(path) HTTP/1.1\n\(host(fixture))", fixture)
            let length = try await fixture.ask("GET", path)["content-length"]
            #expect(text.hasSuffix("\r\n\r\n"), "\(text)")
            if path != "/metrics" { #expect(text.lowercased().contains("content-length: \(length ?? "-")"), "\(text)") }
        }
    }

    @Test func `of several names for whom it asks none counts, and an absolute target's does`() async throws {
        try await ServerFixture.run(.idle) { fixture in
            let own = host(fixture)
            for head in [
                "GET /healthz HTTP/1.1\n\(own)\nHost: evil.example", "GET http://evil.example/healthz HTTP/1.1\n\(own)",
                "GET /healthz HTTP/1.1\nHost: evil.example#.localhost\nConnection: close",
            ] {
                let text = try await whole(head, fixture)
                #expect(text.hasPrefix("HTTP/1.1 403 "), "\(head)")
            }
            let absolute = "GET http://\(fixture.server.address)/healthz HTTP/1.1\nHost: x.example\nConnection: close"
            let text = try await whole(absolute, fixture)
            #expect(text.hasPrefix("HTTP/1.1 200 "))
        }
    }

    @Test func `a body that is not what its head says is answered once`() async throws {
        try await ServerFixture.run(.idle) { fixture in
            let head = "POST /v1/downloads HTTP/1.1\nHost: \(fixture.server.address)\nContent-Type: application/json\n"
            let text = try await whole(head + "Transfer-Encoding: chunked\n\nZZ", fixture)
            #expect(text.hasPrefix("HTTP/1.1 400 "))
            #expect(text.split(separator: "HTTP/1.1 ").count == 1, "\(text)")
        }
    }

    @Test func `who asks before it sends a body is told to go on`() async throws {
        try await ServerFixture.run(.idle) { fixture in
            let wire = try await fixture.connect()
            let body = #"{"url":"https://files.example.org/a","paused":true}"#
            let lines = [
                "POST /v1/downloads HTTP/1.1", "Host: \(fixture.server.address)", "Content-Type: application/json",
                "Expect: 100-continue", "Content-Length: \(body.utf8.count)",
            ]
            try await wire.send(lines.joined(separator: "\r\n") + "\r\n\r\n")
            #expect(try #require(try await wire.take { bytes, _ in try Answer.head(&bytes) }).status == 100)
            try await wire.send(body)
            #expect(try #require(try await wire.take { bytes, _ in try Answer.head(&bytes) }).status == 201)
            try await wire.close()
        }
    }

    /// A text frame of a client, its mask zero (RFC 6455, section 5.2).
    private static func frame(_ text: String) -> [UInt8] {
        precondition(text.utf8.count < 126, "a longer one has its length in more bytes")
        return [0x81, 0x80 | UInt8(text.utf8.count), 0, 0, 0, 0] + Array(text.utf8)
    }

    @Test(arguments: [false, true])
    func `a WebSocket is talked over, also when its first frame comes with the request`(_ isAtOnce: Bool) async throws {
        try await ServerFixture.run(.idle) { fixture in
            let wire = try await fixture.connect()
            let lines = [
                "GET /jsonrpc HTTP/1.1", "Host: \(fixture.server.address)", "Connection: Upgrade", "Upgrade: websocket",
                "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
            ]
            let call = Self.frame(#"{"jsonrpc":"2.0","id":"x","method":"aria2.getSessionInfo"}"#)
            let request = Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
            try await wire.send(isAtOnce ? request + call : request)
            #expect(try #require(try await wire.take { bytes, _ in try Answer.head(&bytes) }).status == 101)
            if !isAtOnce { try await wire.send(call) }
            for number in 0..<2 {
                if number > 0 { try await wire.send(call) }
                let answer = try await wire.take { bytes, isEnd -> String? in
                    let text = String(decoding: bytes, as: UTF8.self)
                    guard text.contains("sessionId") || isEnd else { return nil }
                    bytes = []
                    return text
                }
                #expect(answer?.contains("sessionId") == true, "answer \(number)")
            }
            try await wire.close()
        }
    }
}
