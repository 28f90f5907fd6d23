import HTTPTypes
import LedgerAPI
import LedgerCoding
import LedgerTestSupport
import Testing

@testable import LedgerServer

/// What opens doors elsewhere is in no answer, no stream and no figure.
@Suite(.timeLimit(.minutes(30))) struct SecretTests {
    /// Stands in everything secret.
    private static let secret = "hunter2"

    private func isClean(_ text: String, _ what: String) {
        // Base64 of basic authentication hides nothing.
        for word in [Self.secret, "aHVudGVyMg", "h%75nter2"] { #expect(!text.contains(word), "\(what)") }
    }

    private func forms(_ fixture: ServerFixture) throws -> [JSONObject] {
        let plain = try fixture.url("/f.bin")
        let user = plain.replacing("http://", with: "http://ada:\(Self.secret)@")
        func url(_ query: String) -> JSONValue { .string(plain + "?" + query) }
        return [
            ["url": .string(user)], ["url": url("token=\(Self.secret)")],
            ["url": url("X-Amz-Signature=\(Self.secret)&a=1")],
            ["url": url("next=http%3A%2F%2Fada%3A\(Self.secret)%40host%2F")], ["url": url("sig=\(Self.secret)#x")],
            ["url": url("a=1"), "header": ["Authorization: Bearer \(Self.secret)", "Cookie: session=\(Self.secret)"]],
            ["url": url("a=2"), "user": "ada:\(Self.secret)"], ["url": url("a=3"), "bearer": .string(Self.secret)],
            ["url": url("a=4"), "mirror": [.string(user)]], ["url": url("a=5"), "checksumFile": .string(user)],
            [
                "url": url("a=6"),
                "proxy": .string(try fixture.url("").replacing("http://", with: "http://u:\(Self.secret)@")),
            ],
            ["url": .string(try fixture.url("/moved.bin"))],
            ["url": .string(try fixture.url("/gone?key=\(Self.secret)"))],
        ]
    }

    /// Origins that answer with secrets of their own.
    private func prepare(_ fixture: ServerFixture) throws {
        let signed = try fixture.url("/f.bin?Signature=\(Self.secret)")
        let user = try fixture.url("/1.mp3").replacing("http://", with: "http://ada:\(Self.secret)@")
        let feed = """
            <rss version="2.0"><channel><title>Radio \(user)</title><item><title>One \(signed)</title>
            <guid>\(signed)</guid><description>at\t\(user) or &lt;a href="\(signed)"&gt;here&lt;/a&gt;</description>
            <enclosure url="\(signed)" type="audio/mpeg" length="3"/></item></channel></rss>
            """
        fixture.origin.otherwise { request in
            switch request.path {
            case "/moved.bin": OriginReply.redirect(302, to: signed)
            case "/gone": OriginReply(404, [("WWW-Authenticate", "Basic realm=\"\(Self.secret)\"")])
            case "/feed.xml": OriginEntity(Array(feed.utf8)).reply(to: request)
            default:
                OriginEntity([1, 2, 3]).reply(to: request)
            }
        }
    }

    @Test func `nothing that a client can ask tells a secret`() async throws {
        try await ServerFixture.run(.with { $0.scopes = [.admin] }) { fixture in
            try prepare(fixture)
            var ids: [UInt64] = []
            for form in try forms(fixture) {
                let answer = try await fixture.ask("POST", "/v1/downloads", .object(form), as: .admin)
                #expect(answer.status == 201, "\(form)")
                isClean(answer.whole, "\(form)")
                if let id = try answer.json["downloads"]?.list.first?["id"]?.number { ids.append(id) }
            }
            let feed: JSONValue = ["url": .string(try fixture.url("/feed.xml?token=\(Self.secret)")), "auto": true]
            let followed = try await fixture.ask("POST", "/v1/feeds", feed, as: .admin)
            #expect(followed.status == 201)
            isClean(followed.whole, "feed")
            let listing = try #require(try followed.json["id"]?.number)
            isClean(try await fixture.ask("POST", "/v1/feeds/\(listing)/take", as: .admin).whole, "take")
            try await fixture.ended(ids)
            // They were sent where they belong: this looks in the right place.
            let sent = fixture.origin.requests.map { $0.target + $0.fields.map(\.value).joined() }.joined()
            #expect(sent.contains(Self.secret))
            try await look(fixture, ids, listing)
            isClean(try await stream(fixture), "stream")
        }
    }

    /// Looks at the answer of every GET route, for every download where it is about one.
    private func look(_ fixture: ServerFixture, _ ids: [UInt64], _ listing: UInt64) async throws {
        let queries = [
            "/v1/diff": "?from=0&to=\(fixture.last)", "/v1/events": "?limit=10000",
            "/v1/state": "?parts=queue,catalog,digest", "/v1/stats": "?by=group,host,day,state",
            "/jsonrpc": "?method=aria2.tellStopped&id=1&params=\(params(fixture))",
        ]
        for route in try fixture.routes() where route.method == .get && route.path != "/v1/events/stream" {
            let isListing = ["/v1/feeds", "/v1/catalogs"].contains { route.path.hasPrefix($0) }
            let samples = route.path.contains("{id}") ? (isListing ? [listing] : ids).map { "\($0)" } : [""]
            for sample in samples {
                let path = route.path.replacing("{id}", with: sample).replacing("{name}", with: "app.js")
                let answer = try await fixture.ask("GET", path + (queries[route.path] ?? ""), as: .admin)
                #expect(answer.status < 500, "\(path)")
                isClean(answer.whole, path)
                let token = try #require(fixture.tokens[.admin])
                #expect(!answer.whole.contains(token), "\(path)")
            }
        }
    }

    /// The parameters of a call of aria2's: the token, from the first on, a hundred.
    private func params(_ fixture: ServerFixture) -> String {
        let text = "[\"token:\(fixture.tokens[.admin] ?? "")\",0,100]"
        let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        var (out, bits, count) = ("", UInt32(0), 0)
        for byte in text.utf8 {
            (bits, count) = (bits << 8 | UInt32(byte), count + 8)
            while count >= 6 {
                out.append(digits[Int(bits >> UInt32(count - 6)) & 63])
                count -= 6
            }
        }
        if count > 0 { out.append(digits[Int(bits << UInt32(6 - count)) & 63]) }
        while out.count % 4 != 0 { out.append("=") }
        return out.replacing("+", with: "%2B")
    }

    /// All frames of the log's events.
    private func stream(_ fixture: ServerFixture) async throws -> String {
        let token = try #require(fixture.tokens[.admin])
        let reader = try await FrameReader(fixture, after: 0, [("Authorization", "Bearer \(token)")])
        let last = fixture.last
        var text = ""
        while let frame = try await reader.next() {
            text += frame.text
            if frame.id == last { break }
        }
        #expect(text.contains("event: ledger"))
        try await reader.close()
        return text
    }

    @Test func `what is refused is not repeated with its secrets`() async throws {
        try await ServerFixture.run { fixture in
            let bodies: [JSONValue] = [
                ["url": "http://ada:\(Self.secret)@bad host/"], ["url": "ftp://ada:\(Self.secret)@host/"],
                ["url": "http://host:99999/?token=\(Self.secret)"], ["url": "http://ada:\(Self.secret)/x@/"],
                ["url": "https://a.example/", "proxy": "nothing://u:\(Self.secret)@host"],
                ["url": "https://a.example/", "header": ["X-Key \(Self.secret)"]],
                ["url": "https://a.example/", "header": ["Authorization: \(Self.secret)\n"]],
                ["url": "https://a.example/", "user": ":\(Self.secret)"],
                ["url": "https://a.example/", "bearer": "\(Self.secret)\n"],
                ["url": "https://a.example/", "http://u:\(Self.secret)@a/": 1],
            ]
            for body in bodies {
                let answer = try await fixture.ask("POST", "/v1/downloads", body)
                #expect([400, 422].contains(answer.status), "\(body): \(answer.status)")
                isClean(answer.whole, "\(body)")
            }
            for path in [
                "/v1/downloads?token=\(Self.secret)", "/v1/downloads?state=http://u:\(Self.secret)@a/",
                "/v1/events?type=http://u:\(Self.secret)@a/", "/http://u:\(Self.secret)@a/",
                "/v1/state?at=x?\(Self.secret)",
            ] {
                let answer = try await fixture.ask("GET", path)
                #expect((400...499).contains(answer.status), "\(path)")
                isClean(answer.whole, path)
            }
        }
    }
}
