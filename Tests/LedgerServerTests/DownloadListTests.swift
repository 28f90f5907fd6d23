import LedgerCoding
import Testing

@testable import LedgerServer

/// `GET /v1/downloads`: filters, orders and pages.
@Suite(.timeLimit(.minutes(30))) struct DownloadListTests {
    /// Thirty downloads of three groups, kinds and priorities.
    private func many(_ fixture: ServerFixture) async throws -> [UInt64] {
        let list = (0..<30).map { number -> JSONValue in
            [
                "url": "https://files.example.org/\(number).\(["mp4", "mp3", "zip"][number % 3])", "paused": true,
                "group": .string(["one", "two", "three"][number % 3]), "priority": .int(Int64(number % 5)),
                "title": "Number \(number)",
            ]
        }
        let answer = try await fixture.ask("POST", "/v1/downloads", .array(list))
        return try answer.json["downloads"]?.list.compactMap { $0["id"]?.number } ?? []
    }

    private func ids(_ fixture: ServerFixture, _ query: String) async throws -> [UInt64] {
        let answer = try await fixture.ask("GET", "/v1/downloads" + query)
        #expect(answer.status == 200, "\(query): \(answer.text)")
        return try answer.json["downloads"]?.list.compactMap { $0["id"]?.number } ?? []
    }

    @Test func `filters are joined by and, and each order is what it says`() async throws {
        try await ServerFixture.run(.idle) { fixture in
            let all = try await many(fixture)
            #expect(try await ids(fixture, "") == all)
            _ = try await fixture.ask("POST", "/v1/downloads/\(all[0])/resume")
            _ = try await fixture.ask("DELETE", "/v1/downloads/\(all[29])")
            #expect(try await ids(fixture, "?state=queued") == [all[0]])
            #expect(try await ids(fixture, "?state=queued,deleted") == [all[0], all[29]])
            #expect(try await ids(fixture, "?state=paused").count == 28)
            #expect(try await ids(fixture, "?kind=video") == (0..<10).map { all[$0 * 3] })
            #expect(try await ids(fixture, "?kind=video&group=two") == [])
            #expect(try await ids(fixture, "?group=two") == (0..<10).map { all[$0 * 3 + 1] })
            #expect(try await ids(fixture, "?search=NUMBER%207") == [all[7], all[17], all[27]])
            #expect(try await ids(fixture, "?search=7+mp3") == [all[7]])
            #expect(try await ids(fixture, "?order=desc&limit=2") == [all[28], all[27]])
            #expect(try await ids(fixture, "?sort=name&limit=3") == [all[0], all[1], all[10]])
            let byPriority = all.dropLast().enumerated().sorted {
                ($1.offset % 5, $0.offset) < ($0.offset % 5, $1.offset)
            }.map(\.element)
            #expect(try await ids(fixture, "?sort=priority") == byPriority)
            #expect(try await ids(fixture, "?sort=turn&limit=3") == Array(byPriority.prefix(3)))
            for query in [
                "?state=none", "?state=", "?state=paused,", "?kind=none", "?sort=none", "?order=up", "?limit=0",
                "?limit=1001", "?limit=x",
                "?cursor=x", "?cursor=-1", "?cursor=9223372036854775807", "?at=yesterday", "?States=paused",
                "?sort=name&cursor=9223372036854775807",
            ] {
                #expect(try await fixture.ask("GET", "/v1/downloads" + query).status == 400, "\(query)")
            }
        }
    }

    @Test(arguments: ["", "&sort=name", "&sort=priority", "&sort=turn", "&order=desc", "&sort=added&order=desc"])
    func `pages show each row once`(order: String) async throws {
        try await ServerFixture.run(.idle) { fixture in
            let all = try await many(fixture)
            for limit in [1, 7, 10, 30, 31] {
                var (seen, next, pages) = ([UInt64](), String?.none, 0)
                repeat {
                    let cursor = next.map { "&cursor=\($0)" } ?? ""
                    let answer = try await fixture.ask("GET", "/v1/downloads?limit=\(limit)\(order)\(cursor)").json
                    let rows = answer["downloads"]?.list ?? []
                    #expect(rows.count <= limit)
                    seen += rows.compactMap { $0["id"]?.number }
                    next = answer["next"]?.text
                    pages += 1
                } while next != nil && pages < 50
                #expect(seen.sorted() == all, "\(limit)")
                #expect(pages == (all.count + limit - 1) / limit, "\(limit)")
            }
        }
    }

    @Test(arguments: [false, true])
    func `what is in one state stands by id, on every page of a point of the log`(isDescending: Bool) async throws {
        try await ServerFixture.run(.idle) { fixture in
            let all = try await many(fixture)
            for id in all where id % 4 == 0 { _ = try await fixture.ask("POST", "/v1/downloads/\(id)/cancel") }
            for id in all where id % 4 == 2 { _ = try await fixture.ask("POST", "/v1/downloads/\(id)/resume") }
            let meant = all.sorted {
                let (one, other) = ([0: "c", 2: "q"][$0 % 4] ?? "p", [0: "c", 2: "q"][$1 % 4] ?? "p")
                return (one, $0) < (other, $1)
            }
            let (turned, at) = (isDescending ? meant.reversed() : meant, fixture.last)
            let query = "?sort=state&limit=7&at=\(at)" + (isDescending ? "&order=desc" : "")
            var seen: [UInt64] = []
            for start in stride(from: 0, to: all.count, by: 7) {
                seen += try await ids(fixture, query + "&cursor=\(start)")
                // What happens between two pages is not of that point.
                let path = "/v1/downloads/\(turned[start])/"
                for action in ["cancel", "retry"] { _ = try await fixture.ask("POST", path + action) }
            }
            #expect(seen == turned)
        }
    }

    @Test func `a page goes on after its last id, whatever came and went meanwhile`() async throws {
        try await ServerFixture.run(.idle) { fixture in
            let all = try await many(fixture)
            let first = try await fixture.ask("GET", "/v1/downloads?limit=10").json
            #expect(first["next"]?.text == "\(all[9])")
            for id in [all[3], all[9], all[12]] { _ = try await fixture.ask("DELETE", "/v1/downloads/\(id)") }
            let new = try await fixture.addPaused("/new")
            let rest = try await ids(fixture, "?limit=100&cursor=\(all[9])")
            #expect(rest == all[10...].filter { $0 != all[12] } + [new])
        }
    }
}
