import LedgerAPI
import LedgerCoding
import LedgerEngine
import LedgerModel
import LedgerTestSupport
import SystemPackage
import Testing

@testable import LedgerServer

/// What reviews found, so that it stays mended.
@Suite(.timeLimit(.minutes(30))) struct MendedTests {
    @Test func `the ledger's own files are no place for downloads, though they lie in a root`() async throws {
        try await ServerFixture.run(
            .with { wishes in
                wishes.works = false
                wishes.server = { configuration in
                    configuration.roots = [configuration.roots[0].removingLastComponent()]
                }
            }
        ) { fixture in
            for output in ["config.yaml", "tokens", "log/x"] {
                let form: JSONObject = [
                    "url": "https://files.example.org/a", "dir": "home", "output": .string(output), "overwrite": true,
                ]
                let answer = try await fixture.ask("POST", "/v1/downloads", .object(form))
                #expect((400..<500).contains(answer.status), "\(output): \(answer.status)")
            }
            #expect(try await fixture.downloadCount == 0)
        }
    }

    @Test func `of one URL twice in a request the first is new and the second joins it`() async throws {
        try await ServerFixture.run(.idle) { fixture in
            let form: JSONValue = ["url": "https://files.example.org/a", "paused": true]
            let rows =
                try await fixture.ask("POST", "/v1/downloads", .array([form, form])).json["downloads"]?.list ?? []
            #expect(rows.map { $0["joined"] } == [false, true])
        }
    }

    @Test func `what is to be changed only as a version that nothing has is not changed`() async throws {
        try await ServerFixture.run(.idle) { fixture in
            let form: JSONValue = ["url": "https://files.example.org/a", "paused": true]
            #expect(try await fixture.ask("POST", "/v1/downloads", form).status == 201)
            let versions = [("If-Match", "\"x\"")]
            #expect(try await fixture.ask("PATCH", "/v1/downloads/1", ["title": "t"], versions).status == 412)
            #expect(try await fixture.ask("DELETE", "/v1/downloads/1", versions).status == 412)
            let any = [("If-Match", "*")]
            #expect(try await fixture.ask("PATCH", "/v1/downloads/1", ["title": "t"], any).status == 200)
            let row = try await fixture.ask("GET", "/v1/downloads/1").json
            #expect(row["title"] == "t" && row["state"] == "paused")
        }
    }

    @Test func `a reader whose token is revoked is told nothing more`() async throws {
        try await ServerFixture.run(
            .with { wishes in
                wishes.works = false
                wishes.scopes = [.admin, .read]
            }
        ) { fixture in
            let token = try #require(fixture.tokens[.read])
            let wire = try await fixture.connect()
            try await wire.send(
                "GET /v1/events/stream HTTP/1.1\r\nHost: \(fixture.server.address)\r\n"
                    + "Authorization: Bearer \(token)\r\n\r\n")
            #expect(try #require(try await wire.take { bytes, _ in try Answer.head(&bytes) }).status == 200)
            _ = try await wire.take { bytes, _ in try Answer.chunk(&bytes) }
            try fixture.tokenFile.edit { tokens throws(Problem) in _ = tokens.revoke("read") }
            let form: JSONValue = ["url": "https://files.example.org/secret", "paused": true]
            #expect(try await fixture.ask("POST", "/v1/downloads", form, as: .admin).status == 201)
            #expect(!String(decoding: try await wire.end(), as: UTF8.self).contains("secret"))
            try await wire.close()
        }
    }

    @Test func `a reader whose token is revoked is told nothing more of a long past`() async throws {
        try await ServerFixture.run(
            .with { wishes in
                wishes.works = false
                wishes.scopes = [.admin, .read]
            }
        ) { fixture in
            let text = String(repeating: "t", count: 4000)
            let title: JSONValue = .string(text)
            for number in 1...40 {
                let forms = JSONValue.array(
                    (1...100).map { file -> JSONValue in
                        ["url": .string("https://files.example.org/\(number)/\(file)"), "title": title]
                    })
                #expect(try await fixture.ask("POST", "/v1/downloads", forms, as: .admin).status == 201)
            }
            let wire = try await fixture.connect()
            try await wire.send(
                "GET /v1/events/stream?after=0 HTTP/1.1\r\nHost: \(fixture.server.address)\r\n"
                    + "Authorization: Bearer \(try #require(fixture.tokens[.read]))\r\n\r\n")
            #expect(try #require(try await wire.take { bytes, _ in try Answer.head(&bytes) }).status == 200)
            _ = try await wire.take { bytes, _ in try Answer.chunk(&bytes) }
            try fixture.tokenFile.edit { tokens throws(Problem) in _ = tokens.revoke("read") }
            // 16 MB are more than the buffers of the way hold.
            #expect(!String(decoding: try await wire.end(), as: UTF8.self).contains("/40/100"))
            try await wire.close()
        }
    }

    @Test(arguments: ["abc", "-1", "5.0", "99999999999999999999"])
    func `a last number that is none is told that there may be a gap`(_ number: String) async throws {
        try await ServerFixture.run(.idle) { fixture in
            let wire = try await fixture.connect()
            try await wire.send(
                "GET /v1/events/stream HTTP/1.1\r\nHost: \(fixture.server.address)\r\nLast-Event-ID: \(number)\r\n\r\n")
            #expect(try #require(try await wire.take { bytes, _ in try Answer.head(&bytes) }).status == 200)
            let chunk = try #require(try await wire.take { bytes, _ in try Answer.chunk(&bytes) })
            #expect(String(decoding: chunk, as: UTF8.self).contains("event: compacted"))
            try await wire.close()
        }
    }

    @Test func `a key is one request's from the moment it is asked`() throws {
        let keys = UsedKeys()
        #expect(try keys.claim([1], for: [10]))
        #expect(try keys.claim([1], for: [10]) == false)
        #expect(throws: Refusal.self) { _ = try keys.claim([1], for: [11]) }
        keys.release([1])
        #expect(try keys.claim([1], for: [11]))
    }

    @Test func `who stands at the end of frames that nobody read is not left waiting there`() throws {
        let feed = EventFeed(after: SequenceNumber(5))
        let place = try #require(feed.place(after: SequenceNumber(5)))
        feed.publish([], last: SequenceNumber(6))
        guard case .lost = feed.step(from: place) else {
            Issue.record("the event in between would be missed")
            return
        }
    }

    @Test func `what clients hold has a bound together, and goes back with who holds it`() throws {
        let budget = BodyBudget(bytesMax: 10)
        let one = BodyBudget.Share(of: budget, isTrusted: true)
        var other: BodyBudget.Share? = BodyBudget.Share(of: budget, isTrusted: true)
        #expect(one.take(4) && other?.take(6) == true && !one.take(1))
        one.give(back: 2)
        #expect(one.take(2) && !one.take(1))
        other = nil
        #expect(one.take(2) && one.take(4) && !one.take(1))
        one.give(back: 6)
    }

    @Test func `who has shown nothing gets half of it, and a short message still comes through`() {
        let (budget, small) = (BodyBudget(bytesMax: 1 << 20), BodyBudget.Share.smallBytesMax)
        let stranger = BodyBudget.Share(of: budget)
        #expect(stranger.take(512 << 10) && !stranger.take(1))
        let others = (0..<4).map { _ in BodyBudget.Share(of: budget) }
        #expect(others.allSatisfy { $0.take(small) } && others.allSatisfy { !$0.take(1) })
        let late = BodyBudget.Share(of: budget)
        #expect(!late.take(1), "three quarters are taken")
        late.trust()
        #expect(late.take(256 << 10) && !late.take(1))
    }

    @Test func `a body counts until its request is answered`() async throws {
        try await ServerFixture.run(
            .with {
                $0.scopes = [.read]
                $0.server = { $0.bodiesBytesMax = 2000 }
            }
        ) { fixture in
            // Its secret is wrong, so that it is answered after a while.
            let padding = String(repeating: " ", count: 700)
            let call = Array((#"{"id":1,"method":"aria2.getVersion","params":["token:no"]}"# + padding).utf8)
            async let first = fixture.ask("POST", "/jsonrpc", bytes: call)
            async let second = fixture.ask("POST", "/jsonrpc", bytes: call)
            let statuses = [try await first.status, try await second.status].sorted()
            #expect(statuses == [400, 503])
            #expect(try await fixture.ask("POST", "/jsonrpc", bytes: call).status == 400)
        }
    }
}
