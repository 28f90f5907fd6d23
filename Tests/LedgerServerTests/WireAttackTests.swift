import LedgerAPI
import LedgerCoding
import LedgerHolder
import LedgerModel
import LedgerTestSupport
import Testing

@testable import LedgerServer

/// Requests that are too long, too slow, too many or malformed.
@Suite(.timeLimit(.minutes(30))) struct WireAttackTests {
    private func isAlive(_ fixture: ServerFixture) async throws {
        #expect(try await fixture.ask("GET", "/healthz").text == "ok\n")
    }

    @Test func `line breaks in what goes to origins are refused, and nothing is asked of them`() async throws {
        try await ServerFixture.run { fixture in
            fixture.origin.otherwise { OriginEntity([1]).reply(to: $0) }
            let forms: [JSONObject] = [
                ["header": ["X-One: 1\r\nX-Evil: 1"]], ["header": ["X-One: 1\nX-Evil: 1"]], ["header": ["X\r\nY: 1"]],
                ["header": ["X One: 1"]], ["header": ["X-One: a\u{0}b"]], ["header": [": 1"]], ["header": ["nothing"]],
                ["userAgent": "a\r\nX-Evil: 1"], ["userAgent": "a\u{7f}"], ["bearer": "a\r\nX-Evil: 1"],
                ["user": "ada:a\r\nb"], ["user": "a\u{0}b:c"],
            ]
            for form in forms {
                var object: JSONObject = ["url": .string(try fixture.url("/f.bin"))]
                object.merge(form)
                let answer = try await fixture.ask("POST", "/v1/downloads", .object(object))
                #expect(answer.status == 422, "\(form): \(answer.status)")
                #expect(answer["x-evil"] == nil)
            }
            #expect(fixture.origin.requests.isEmpty)
            try await isAlive(fixture)
        }
    }

    @Test func `malformed requests are refused or cut, and smuggle nothing`() async throws {
        try await ServerFixture.run { fixture in
            let host = "Host: \(fixture.authority)\r\n"
            let heads = [
                "GET /v1/status HTTP/1.1\r\n\(host)X-A: a\rb\r\n\r\n",
                "GET /v1/status HTTP/1.1\r\n\(host)X-A: a\u{0}b\r\n\r\n",
                "GET /v1/status HTTP/1.1\r\n\(host) folded: 1\r\n\r\n",
                "GET /v1/status HTTP/1.1\r\n\(host)X A: 1\r\n\r\n",
                "GET /v1/ status HTTP/1.1\r\n\(host)\r\n", "GET\r\n\r\n", "\u{0}\u{1}\u{2}\r\n\r\n",
                "GET / HTTP/9.9\r\n\r\n",
                "POST /v1/downloads HTTP/1.1\r\n\(host)Content-Length: x\r\n\r\n",
                "POST /v1/downloads HTTP/1.1\r\n\(host)Content-Length: -1\r\n\r\n",
                "POST /v1/downloads HTTP/1.1\r\n\(host)Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}x",
                "POST /v1/downloads HTTP/1.1\r\n\(host)Content-Type: application/json\r\nContent-Length: 4\r\n"
                    + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                "POST /v1/downloads HTTP/1.1\r\n\(host)Transfer-Encoding: chunked\r\n\r\nzz\r\n",
            ]
            for head in heads {
                let wire = try await fixture.connect()
                try await wire.send(head)
                let answer = try await wire.answer()
                #expect(answer == nil || (400...499).contains(answer?.status ?? 0), "\(head): \(answer?.status ?? 0)")
                // Whatever followed it on this connection is not taken for a request.
                #expect(try await wire.end().isEmpty, "\(head)")
                try await wire.close()
            }
            try await isAlive(fixture)
        }
    }

    @Test(arguments: [false, true])
    func `a body that is too long is refused before it is held`(isChunked: Bool) async throws {
        try await ServerFixture.run(.with { $0.server = { $0.bodyBytesMax = 1000 } }) { fixture in
            let body = "\"" + String(repeating: "x", count: 2000) + "\""
            let wire = try await fixture.connect()
            let length = isChunked ? ("Transfer-Encoding", "chunked") : ("Content-Length", "\(body.utf8.count)")
            try await wire.send(
                fixture.head("POST", "/v1/downloads", [("Content-Type", "application/json"), length])
                    + (isChunked ? String(body.utf8.count, radix: 16) + "\r\n\(body)\r\n" : body))
            let answer = try #require(try await wire.answer())
            #expect(answer.status == 413 && answer["content-type"] == "application/problem+json")
            #expect(answer["connection"] == "close")
            #expect(try await wire.end().isEmpty)
            try await wire.close()
            let fits: JSONValue = ["url": "https://files.example.org/f.bin", "paused": true]
            #expect(try await fixture.ask("POST", "/v1/downloads", fits).status == 201)
        }
    }

    @Test func `a head that is too long is cut off`() async throws {
        try await ServerFixture.run { fixture in
            let long = String(repeating: "x", count: 2 * APIChannel.headBytesMax)
            for head in [
                fixture.head("GET", "/v1/downloads?search=\(long)"),
                fixture.head("GET", "/v1/status", [("X-Long", long)]),
                fixture.head("GET", "/v1/status", (0..<4000).map { ("X-\($0)", "some words of a value") }),
            ] {
                let wire = try await fixture.connect()
                do { try await wire.send(head) } catch {
                    // It may be cut while it is sent.
                }
                let answer = try await wire.answer()
                #expect(answer == nil || (400...499).contains(answer?.status ?? 0), "\(answer?.status ?? 0)")
                try await wire.close()
            }
            try await isAlive(fixture)
        }
    }

    @Test func `where all connections are served, one more waits for one of them to end`() async throws {
        try await ServerFixture.run(
            .with {
                $0.works = false
                $0.server = { $0.connectionsMax = 2 }
            }
        ) { fixture in
            var readers: [FrameReader] = []
            for _ in 0..<3 { readers.append(try await FrameReader(fixture)) }
            let late = try await fixture.connect()
            try await late.send(fixture.head("GET", "/healthz"))
            // Those that are served go on being served meanwhile.
            for number in 0..<10 {
                let request = EnqueueRequest(
                    url: "https://files.example.org/\(number)", directory: "\(fixture.downloads)",
                    command: CommandID(high: 1, low: UInt64(number)))
                guard case .accepted(let row, _)? = try await fixture.service.enqueue([request]).first else {
                    throw ServerFixture.NoAnswer()
                }
                for reader in readers {
                    #expect(try await reader.next("ledger")?.data["id"]?.number == row.id.rawValue)
                }
            }
            #expect(late.held.isEmpty)
            try await readers[0].close()
            #expect(try await late.answer()?.status == 200)
            for reader in readers.dropFirst() { try await reader.close() }
            try await late.close()
        }
    }

    /// What takes a place and does not do anything with it.
    enum Idler: CaseIterable {
        case nothing, halfHead, unused, halfBody
    }

    @Test(arguments: Idler.allCases)
    func `who only takes a place gives way, and who is served does not`(_ idler: Idler) async throws {
        try await ServerFixture.run(
            .with {
                $0.works = false
                $0.server = { server in
                    server.connectionsMax = 4
                    // Nobody is cut for being slow.
                    server.patience.firstHeadMillisecondsMax = 3_600_000
                    server.patience.headMillisecondsMax = 3_600_000
                    server.patience.bodyMillisecondsMax = 3_600_000
                }
            }
        ) { fixture in
            let (reader, socket) = (try await FrameReader(fixture), try await WebSocketClient(fixture))
            #expect(try await reader.next()?.name == "hello")
            var idlers: [Wire] = []
            for _ in 0..<12 {
                let wire = try await fixture.connect()
                switch idler {
                case .nothing: break
                case .halfHead: try await wire.send("GET /healthz HTTP/1.1\r\nHost: ")
                case .unused:
                    try await wire.send(fixture.head("GET", "/healthz"))
                    #expect(try await wire.answer()?.status == 200)
                case .halfBody:
                    let fields = [("Content-Type", "application/json"), ("Content-Length", "20")]
                    try await wire.send(fixture.head("POST", "/v1/downloads", fields) + "{")
                }
                idlers.append(wire)
            }
            // Those that waited longest went first. Connections take their places on several loops, in an order that is
            // not quite that of their beginnings: who asks next must not be overtaken by these.
            for wire in idlers[..<8] { #expect(try await wire.end().isEmpty) }
            for _ in 0..<3 { try await isAlive(fixture) }
            for wire in idlers[8..<10] { #expect(try await wire.end().isEmpty) }
            let id = try await fixture.addPaused("/a")
            #expect(try await reader.next("ledger")?.data["id"]?.number == id)
            #expect(try await socket.call("aria2.getVersion")["result"] != nil)
            try await reader.close()
            for wire in idlers + [socket.wire] { try await wire.close() }
        }
    }

    @Test func `a head that comes byte by byte is cut at its deadline, however steadily it comes`() async throws {
        try await ServerFixture.run(
            .with {
                $0.server = { server in
                    server.patience.firstHeadMillisecondsMax = 4000
                    server.patience.headMillisecondsMax = 4000
                }
            }
        ) { fixture in
            let wire = try await fixture.connect()
            try await wire.send("GET /healthz HTTP/1.1\r\nHost: \(fixture.authority)\r\nX-Slow: ")
            while !wire.isClosed {
                // A request over another connection takes a moment.
                do { try await wire.send("x") } catch { break }
                try await isAlive(fixture)
            }
            #expect(try await wire.end().isEmpty)
            try await wire.close()
            // Who says nothing at all, and who says nothing more.
            let silent = try await fixture.connect()
            let idle = try await fixture.connect()
            try await idle.send(fixture.head("GET", "/healthz"))
            #expect(try await idle.answer()?.status == 200)
            for wire in [silent, idle] {
                #expect(try await wire.end().isEmpty)
                try await wire.close()
            }
        }
    }

    @Test func `a body that comes too slowly is cut at its deadline`() async throws {
        try await ServerFixture.run(.with { $0.server = { $0.patience.bodyMillisecondsMax = 1000 } }) { fixture in
            let wire = try await fixture.connect()
            let fields = [("Content-Type", "application/json"), ("Content-Length", "1000000")]
            try await wire.send(fixture.head("POST", "/v1/downloads", fields) + "{\"url\": \"")
            while !wire.isClosed {
                do { try await wire.send("x") } catch { break }
                try await isAlive(fixture)
            }
            #expect(try await wire.end().isEmpty)
            try await wire.close()
            #expect(try await fixture.downloadCount == 0)
        }
    }
}
