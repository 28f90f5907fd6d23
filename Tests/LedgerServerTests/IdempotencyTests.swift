import LedgerCoding
import LedgerTestSupport
import Testing

@testable import LedgerServer

/// A request that is sent again because its answer was lost is done once.
@Suite(.timeLimit(.minutes(30))) struct IdempotencyTests {
    private static let form: JSONValue = ["url": "https://files.example.org/a", "again": true]

    private func add(_ fixture: ServerFixture, _ body: JSONValue, key: String) async throws -> Answer {
        try await fixture.ask("POST", "/v1/downloads", body, [("Idempotency-Key", key)])
    }

    @Test func `the same key twice is one download, and the first answer`() async throws {
        try await ServerFixture.run(.idle) { fixture in
            let first = try await add(fixture, Self.form, key: "k1")
            let second = try await add(fixture, Self.form, key: "k1")
            let id = { (answer: Answer) in try answer.json["downloads"]?.list.first?["id"]?.number }
            #expect(try first.status == 201 && second.status == 201 && id(first) == id(second))
            #expect(try await fixture.downloadCount == 1)
            // Without a key, or under another, it is asked for anew.
            _ = try await add(fixture, Self.form, key: "k2")
            _ = try await fixture.ask("POST", "/v1/downloads", Self.form)
            #expect(try await fixture.downloadCount == 3)
        }
    }

    @Test func `many at once under one key are one`() async throws {
        try await ServerFixture.run(.idle) { fixture in
            let ids = try await withThrowingTaskGroup(of: UInt64?.self) { group in
                for _ in 0..<12 {
                    group.addTask {
                        try await add(fixture, Self.form, key: "k").json["downloads"]?.list.first?["id"]?.number
                    }
                }
                return try await group.reduce(into: Set<UInt64?>()) { $0.insert($1) }
            }
            #expect(ids.count == 1)
            #expect(try await fixture.downloadCount == 1)
        }
    }

    @Test func `another body under the same key is refused, and nothing is done`() async throws {
        try await ServerFixture.run(.idle) { fixture in
            _ = try await add(fixture, Self.form, key: "k")
            let last = fixture.last
            for body in [
                ["url": "https://files.example.org/b", "again": true], [Self.form],
                ["url": "https://files.example.org/a", "again": true, "paused": true],
            ] as [JSONValue] {
                let answer = try await add(fixture, body, key: "k")
                #expect(answer.status == 422 && answer["content-type"] == "application/problem+json")
                #expect(
                    try answer.json["detail"]?.text?.contains("Idempotency-Key") == true && answer.json["next"] != nil)
            }
            #expect(fixture.last == last)
            #expect(try await add(fixture, Self.form, key: "k").status == 201 && fixture.last == last)
        }
    }

    @Test func `a request that was refused uses no key up`() async throws {
        try await ServerFixture.run(.idle) { fixture in
            let refused = try await add(fixture, ["url": "ftp://a/"], key: "k")
            let taken = try await add(fixture, Self.form, key: "k")
            #expect(refused.status == 422 && taken.status == 201)
        }
    }

    @Test func `the key of a list stands for each of its downloads`() async throws {
        try await ServerFixture.run(.idle) { fixture in
            let list = JSONValue.array(
                (0..<5).map { number in
                    ["url": "https://files.example.org/same", "again": true, "title": "\(number)"]
                })
            let ids = { (answer: Answer) in try answer.json["downloads"]?.list.compactMap { $0["id"]?.number } }
            let first = try ids(try await add(fixture, list, key: "k"))
            #expect(try ids(try await add(fixture, list, key: "k")) == first && Set(first ?? []).count == 5)
            #expect(try await fixture.downloadCount == 5)
        }
    }

    @Test func `commands on a download are done once under a key, and the query belongs to the request`() async throws {
        try await ServerFixture.run(.idle) { fixture in
            let id = try await fixture.addPaused("/a")
            let key = [("Idempotency-Key", "k")]
            for _ in 0..<3 { #expect(try await fixture.ask("POST", "/v1/downloads/\(id)/resume", key).status == 200) }
            for _ in 0..<3 {
                #expect(try await fixture.ask("PATCH", "/v1/downloads/\(id)", ["priority": 3], key).status == 200)
            }
            for _ in 0..<3 {
                #expect(try await fixture.ask("DELETE", "/v1/downloads/\(id)?file=keep", key).status == 200)
            }
            #expect(try await fixture.ask("DELETE", "/v1/downloads/\(id)?file=purge", key).status == 422)
            let types = try await fixture.ask("GET", "/v1/events?after=2").lines.compactMap { $0["type"]?.text }
            #expect(
                types == ["resumed", "changed", "deleted"] || types == ["resumed", "moved", "deleted"], "\(types)")
        }
    }

    @Test func `the ledger remembers a key when the server does not any more`() async throws {
        try await ServerFixture.run(.idle) { fixture in
            let first = try await add(fixture, Self.form, key: "k")
            let other = try await LedgerServer.start(fixture.service, fixture.configuration)
            var wire = try await Wire.connect(to: other.address)
            func ask(_ form: JSONValue) async throws -> Answer {
                let body = form.description
                let fields = [
                    ("Idempotency-Key", "k"), ("Content-Type", "application/json"),
                    ("Content-Length", "\(body.utf8.count)"),
                ]
                try await wire.send(fixture.head("POST", "/v1/downloads", fields) + body)
                return try #require(try await wire.answer())
            }
            let again = try await ask(Self.form)
            #expect(
                try again.status == 201
                    && again.json["downloads"]?.list.first?["id"] == first.json["downloads"]?.list.first?["id"])
            #expect(try await fixture.downloadCount == 1)
            try await wire.close()
            await other.stop()

            // Another request is never answered with what the first came to, and costs the first nothing.
            let third = try await LedgerServer.start(fixture.service, fixture.configuration)
            wire = try await Wire.connect(to: third.address)
            let different: JSONValue = ["url": "https://files.example.org/b", "again": true]
            let answer = try await ask(different)
            let url = try answer.json["downloads"]?.list.first?["url"]?.text
            #expect(answer.status == 201 && url == "https://files.example.org/b")
            #expect(try await fixture.downloadCount == 2)
            #expect(try await ask(Self.form).status == 422)
            try await wire.close()
            await third.stop()
        }
    }

    @Test func `a key that is none is refused`() async throws {
        try await ServerFixture.run(.idle) { fixture in
            for key in ["", String(repeating: "k", count: Call.keyBytesMax + 1)] {
                let answer = try await add(fixture, Self.form, key: key)
                #expect(answer.status == 400, "\(key.count)")
            }
            #expect(fixture.last == 0)
        }
    }

    @Test func `keys are remembered up to a number of them, and given back when nothing was done`() throws {
        let keys = UsedKeys()
        for number in 0...UsedKeys.keysMax { #expect(try keys.claim(Array("\(number)".utf8), for: [1])) }
        #expect(throws: Refusal.self) { try keys.claim(Array("1".utf8), for: [2]) }
        #expect(try !keys.claim(Array("1".utf8), for: [1]))
        #expect(try keys.claim(Array("0".utf8), for: [2]))
        keys.release(Array("5".utf8))
        #expect(try keys.claim(Array("5".utf8), for: [2]))
    }
}
