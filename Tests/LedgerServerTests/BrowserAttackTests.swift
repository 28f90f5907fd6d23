import LedgerAPI
import LedgerCoding
import Testing

@testable import LedgerServer

/// What pages of other sites could try with a person's browser.
@Suite(.timeLimit(.minutes(30))) struct BrowserAttackTests {
    private static let form: JSONValue = ["url": "https://files.example.org/f.bin", "paused": true]

    @Test(arguments: [
        "evil.example", "evil.example:6800", "127.0.0.1.evil.example", "localhost.evil.example",
        "evil.example#127.0.0.1",
        "127.0.0.1@evil.example", "", " ", "[::1].evil.example", "evil.example:127.0.0.1",
    ])
    func `a name that was bent to this address opens nothing`(host: String) async throws {
        try await ServerFixture.run { fixture in
            for path in [
                "/", "/v1/downloads", "/v1/status", "/v1/session", "/healthz", "/files/1", "/metrics", "/jsonrpc",
            ] {
                let answer = try await fixture.ask("GET", path, [("Host", host)])
                // What is no name at all may be refused by the parser of HTTP.
                #expect([400, 403].contains(answer.status), "\(path)")
                #expect(!answer.text.contains("downloads"), "\(path)")
            }
            let answer = try await fixture.ask("POST", "/v1/downloads", Self.form, [("Host", host)])
            #expect([400, 403].contains(answer.status))
            #expect(try await fixture.downloadCount == 0)
        }
    }

    @Test func `the server's own names, addresses and those it was given open it`() async throws {
        try await ServerFixture.run(
            .with {
                $0.server = { $0.hosts = ["nas.example"] }
            }
        ) { fixture in
            let port = fixture.server.address.port
            for host in [
                "127.0.0.1:\(port)", "localhost:\(port)", "LOCALHOST", "ledger.localhost", "[::1]:\(port)",
                "192.168.1.5:\(port)", "nas.example", "NAS.example:\(port)",
            ] {
                let answer = try await fixture.ask("GET", "/v1/status", [("Host", host)])
                #expect(answer.status == 200, "\(host)")
            }
            #expect(try await fixture.ask("GET", "/v1/status", [("Host", "other.example")]).status == 403)
        }
    }

    @Test func `a request without Host, or with two, is not answered with anything`() async throws {
        try await ServerFixture.run { fixture in
            for head in [
                "GET /v1/status HTTP/1.1\r\n\r\n", "GET /v1/status HTTP/1.0\r\n\r\n",
                "GET /v1/status HTTP/1.1\r\nHost: evil.example\r\nHost: \(fixture.authority)\r\n"
                    + "Connection: close\r\n\r\n",
                "GET http://evil.example/v1/status HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n",
            ] {
                let wire = try await fixture.connect()
                try await wire.send(head)
                let answer = try await wire.answer()
                #expect(answer == nil || [400, 403].contains(answer?.status), "\(head)")
                try await wire.close()
            }
        }
    }

    @Test(arguments: [
        [("Origin", "https://evil.example")], [("Origin", "null")], [("Origin", "http://127.0.0.1:1")],
        [("Origin", "https://evil.example"), ("Sec-Fetch-Site", "same-origin")], [("Sec-Fetch-Site", "cross-site")],
        [("Sec-Fetch-Site", "same-site")], [("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "navigate")],
        [("Origin", "chrome-extension://abc")],
    ])
    func `pages of other sites are refused, and told nothing`(fields: [(String, String)]) async throws {
        try await ServerFixture.run { fixture in
            for path in ["/v1/downloads", "/v1/session", "/files/1", "/v1/events/stream", "/v1/openapi.json"] {
                let answer = try await fixture.ask("GET", path, fields)
                #expect(answer.status == 403 && answer["content-type"] == "application/problem+json", "\(path)")
                #expect(answer["access-control-allow-origin"] == nil)
            }
            let sent = try await fixture.ask("POST", "/v1/downloads", Self.form, fields)
            #expect(sent.status == 403)
            let asked = try await fixture.ask(
                "OPTIONS", "/v1/downloads", fields + [("Access-Control-Request-Method", "POST")])
            #expect(asked.status == 403 && asked["access-control-allow-methods"] == nil)
            #expect(try await fixture.downloadCount == 0)
        }
    }

    @Test func `a link to the page is followed, and the page may ask what is its own`() async throws {
        try await ServerFixture.run { fixture in
            let visit = [("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "navigate")]
            #expect(try await fixture.ask("GET", "/", visit).status == 200)
            // As a picture or a frame it is no visit.
            for mode in ["no-cors", "cors", "websocket"] {
                let answer = try await fixture.ask(
                    "GET", "/", [("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", mode)])
                #expect(answer.status == 403, "\(mode)")
            }
            let own = [("Origin", "http://\(fixture.authority)"), ("Sec-Fetch-Site", "same-origin")]
            #expect(try await fixture.ask("POST", "/v1/downloads", Self.form, own).status == 201)
            #expect(try await fixture.ask("GET", "/v1/status", [("Sec-Fetch-Site", "none")]).status == 200)
        }
    }

    @Test(arguments: ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""])
    func `what a form of another site can send is not taken for JSON`(type: String) async throws {
        try await ServerFixture.run { fixture in
            let bytes = Array(Self.form.description.utf8)
            let fields = type.isEmpty ? [] : [("Content-Type", type)]
            let answer = try await fixture.ask("POST", "/v1/downloads", fields, bytes: bytes)
            #expect(answer.status == 415)
            #expect(try await fixture.downloadCount == 0)
        }
    }

    @Test func `a body that is announced as packed is not read as if it were not`() async throws {
        try await ServerFixture.run { fixture in
            let fields = [("Content-Type", "application/json"), ("Content-Encoding", "gzip")]
            let bytes = Array(Self.form.description.utf8)
            let packed = try await fixture.ask("POST", "/v1/downloads", fields, bytes: bytes)
            #expect(packed.status == 415)
            let plain = [("Content-Type", "application/json"), ("Content-Encoding", "identity")]
            let answer = try await fixture.ask("POST", "/v1/downloads", plain, bytes: bytes)
            #expect(answer.status == 201)
        }
    }

    @Test func `an origin that is allowed gets its answers, and no other does`() async throws {
        try await ServerFixture.run(
            .with {
                $0.server = { $0.origins = ["https://ui.example"] }
                $0.scopes = [.read]
            }
        ) { fixture in
            let fields = [("Origin", "https://ui.example"), ("Sec-Fetch-Site", "cross-site")]
            let answer = try await fixture.ask("GET", "/v1/status", fields, as: .read)
            #expect(answer.status == 200 && answer["access-control-allow-origin"] == "https://ui.example")
            #expect(answer["vary"]?.lowercased().contains("origin") == true)
            // Cookies of a browser never go along: such a page sends a token itself.
            #expect(answer["access-control-allow-credentials"] == nil)
            let asked = try await fixture.ask(
                "OPTIONS", "/v1/downloads/1",
                fields + [
                    ("Access-Control-Request-Method", "PATCH"), ("Access-Control-Request-Headers", "authorization"),
                ])
            #expect(asked.status == 200 && asked["access-control-allow-headers"] == "authorization")
            #expect(asked["access-control-allow-methods"]?.contains("PATCH") == true)
            #expect(asked["access-control-allow-credentials"] == nil)
            // A refusal can be read as well.
            let refused = try await fixture.ask("GET", "/v1/status", fields)
            #expect(refused.status == 401 && refused["access-control-allow-origin"] == "https://ui.example")
            for origin in ["https://ui.example.evil.example", "http://ui.example", "https://ui.example:8443", "null"] {
                let other = try await fixture.ask("GET", "/v1/status", [("Origin", origin)], as: .read)
                #expect(other.status == 403 && other["access-control-allow-origin"] == nil, "\(origin)")
            }
        }
    }

    @Test func `the cookie of a token is for this server's own pages alone`() async throws {
        try await ServerFixture.run(.with { $0.scopes = [.write] }) { fixture in
            let token = try #require(fixture.tokens[.write])
            let opened = try await fixture.ask("POST", "/v1/session", ["token": .string(token)])
            let cookie = try #require(opened["set-cookie"])
            #expect(opened.status == 200 && cookie.hasPrefix("ledger_token=\(token);"))
            for word in ["HttpOnly", "SameSite=Strict", "Path=/"] { #expect(cookie.contains(word)) }
            #expect(!opened.text.contains(token))
            let fields = [("Cookie", "other=1; ledger_token=\(token)")]
            #expect(try await fixture.ask("POST", "/v1/downloads", Self.form, fields).status == 201)
            // A browser that sent it along for another page is not enough.
            let foreign = fields + [("Origin", "https://evil.example")]
            #expect(try await fixture.ask("POST", "/v1/downloads", Self.form, foreign).status == 403)
            let closed = try await fixture.ask("DELETE", "/v1/session", fields)
            #expect(closed.status == 204 && closed["set-cookie"]?.contains("Max-Age=0") == true)
        }
    }
}
