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
            let nobody = try await whole("GET /healthz HTTP/1.1\nConnection: close", fixture)
            #expect(nobody.hasPrefix("HTTP/1.1 400 ") && nobody.contains("the request has no 'Host'"), "\(nobody)")
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

    @Test(arguments: ["9000000000", "18446744073709551615", "8388609"])
    func `a body that is announced as too long is refused before any of it comes`(_ length: String) async throws {
        try await ServerFixture.run(.idle) { fixture in
            let paths = [("POST", "/v1/downloads"), ("POST", "/jsonrpc"), ("GET", "/healthz"), ("PUT", "/none")]
            for (method, path) in paths {
                for fields in [[("Expect", "100-continue")], []] {
                    let wire = try await fixture.connect()
                    let all = [("Content-Type", "application/json"), ("Content-Length", length)] + fields
                    try await wire.send(fixture.head(method, path, all))
                    let answer = try #require(try await wire.answer())
                    #expect(answer.status == 413 && answer["content-type"] == "application/problem+json")
                    #expect(try answer["connection"] == "close" && answer.json["next"] != nil)
                    #expect(try await wire.end().isEmpty)
                    try await wire.close()
                }
            }
        }
    }

    @Test func `who goes on sending what was refused is cut`() async throws {
        try await ServerFixture.run(.with { $0.server = { $0.patience.lingerMillisecondsMax = 300 } }) { fixture in
            for more in [[], [("Connection", "close")]] {
                let fields = [("Content-Length", "9000000000")] + more
                let wire = try await fixture.connect(staysOpen: true)
                try await wire.send(fixture.head("POST", "/v1/downloads", fields))
                #expect(try await wire.answer()?.status == 413)
                while true { do { try await wire.send("x") } catch { break } }
                try await wire.close()
            }
        }
    }

    @Test func `who speaks HTTP 1 0 gets what has no length in one piece, until the connection ends`() async throws {
        try await ServerFixture.run(.idle) { fixture in
            try await fixture.addPaused("/a")
            let fields = "Host: \(fixture.server.address)\nConnection: keep-alive\nExpect: 100-continue"
            let text = try await whole("GET /v1/events HTTP/1.0\n\(fields)", fixture)
            let parts = text.split(separator: "\r\n\r\n", maxSplits: 1)
            #expect(text.hasPrefix("HTTP/1.0 200 ") && !text.lowercased().contains("transfer-encoding"), "\(text)")
            let lines = try await fixture.ask("GET", "/v1/events").text
            #expect(parts.last.map { String($0) } == lines)

            let wire = try await fixture.connect()
            try await wire.send("GET /v1/events/stream HTTP/1.0\r\nHost: \(fixture.server.address)\r\n\r\n")
            let head = try #require(try await wire.take { bytes, _ in try Answer.head(&bytes) })
            #expect(head.status == 200 && head["transfer-encoding"] == nil)
            let id = try await fixture.addPaused("/b")
            let stream = try await wire.take { bytes, isEnd -> String? in
                let text = String(decoding: bytes, as: UTF8.self)
                return text.contains("event: ledger") && text.hasSuffix("\n\n") || isEnd ? text : nil
            }
            let frames = (stream ?? "").split(separator: "\n\n").map { FrameReader.Frame(text: String($0)) }
            #expect(frames.first?.name == "hello" && frames.count > 1, "\(stream ?? "-")")
            // Rows and reloads may come between, where the events were told late; nothing else does.
            let names = Set(frames.dropFirst().compactMap(\.name))
            #expect(names.contains("ledger") && names.isSubset(of: ["ledger", "rows", "reload"]), "\(stream ?? "-")")
            let events = frames.filter { $0.name == "ledger" }
            #expect(try events.allSatisfy { try $0.data["id"]?.number == id }, "\(stream ?? "-")")
            try await wire.close()
        }
    }

    @Test(arguments: [false, true])
    func `a WebSocket is talked over, also when its first frame comes with the request`(_ isAtOnce: Bool) async throws {
        try await ServerFixture.run(.idle) { fixture in
            let wire = try await fixture.connect()
            let call = SocketFrame.text(#"{"jsonrpc":"2.0","id":"x","method":"aria2.getSessionInfo"}"#).bytes
            let request = Array(fixture.head("GET", "/jsonrpc", WebSocketClient.wish).utf8)
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
