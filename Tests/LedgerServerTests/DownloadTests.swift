import LedgerCoding
import LedgerSystem
import LedgerTestSupport
import Testing

@testable import LedgerServer

/// `/v1/downloads`: asking for, listing, changing and deleting.
@Suite(.timeLimit(.minutes(30))) struct DownloadTests {
    @Test func `one download is asked for, fetched and shown with every key`() async throws {
        try await ServerFixture.run { fixture in
            fixture.origin.serve("/a.zip", OriginEntity([1, 2, 3]))
            let form: JSONValue = [
                "url": .string(try fixture.url("/a.zip")), "dir": "sub", "output": "b.zip", "group": "g",
                "title": "Title", "details": "words", "tags": ["x", "y"], "priority": 5, "identifier": "mine",
                "published": "2026-03-02T10:00:00Z", "retries": 2, "timeout": "90s", "split": 4, "limitRate": "10M",
                "expectLength": 3, "header": "X-One: 1", "userAgent": "test/1",
            ]
            let answer = try await fixture.ask("POST", "/v1/downloads", form)
            let row = try #require(try answer.json["downloads"]?.list.first)
            let id = try #require(row["id"]?.number)
            #expect(try answer.status == 201 && answer["location"] == "/v1/downloads/\(id)" && answer.json["refused"] == [])
            #expect(row["joined"] == false && row["priority"] == .int(5) || row["priority"] == .uint(5))
            try await fixture.ended([id])
            let shown = try await fixture.ask("GET", "/v1/downloads/\(id)").json
            let keys = [
                "id", "url", "path", "state", "size", "received", "digest", "kind", "group", "title", "details", "tags",
                "priority", "attempts", "error", "addedAt", "startedAt", "completedAt", "checkedAt", "retryAt", "rate",
                "resumedFrom", "insecure", "identifier", "published", "usedAt", "pinned", "mediaType",
            ]
            #expect(shown.members.map(\.name) == keys)
            #expect(shown["state"] == "completed" && shown["size"]?.number == 3 && shown["title"] == "Title")
            #expect(shown["tags"] == ["x", "y"] && shown["published"] == "2026-03-02T10:00:00.000Z")
            #expect(shown["path"]?.text?.hasSuffix("/downloads/sub/b.zip") == true)
            let asked = try #require(fixture.origin.requests.first)
            #expect(asked["x-one"] == "1" && asked["user-agent"] == "test/1")
            // The same once more is the same download.
            let again = try await fixture.ask("POST", "/v1/downloads", form)
            #expect(try again.json["downloads"]?.list.first?["joined"] == true)
            #expect(try await fixture.downloadCount == 1)
        }
    }

    @Test func `of many each is judged alone: what is refused is told with its place, the others are taken`() async throws {
        try await ServerFixture.run { $0.works = false } _: { fixture in
            let list: JSONValue = [
                "https://files.example.org/a", ["url": "ftp://files.example.org/b"], 5,
                ["url": "https://files.example.org/c", "wrong": true], ["url": "https://files.example.org/d", "dir": "/etc"],
                ["url": "https://files.example.org/e", "split": 99], ["url": "https://files.example.org/f"],
            ]
            let answer = try await fixture.ask("POST", "/v1/downloads", list)
            #expect(answer.status == 201 && answer["location"] == nil)
            let urls = try answer.json["downloads"]?.list.compactMap { $0["url"]?.text }
            #expect(urls == ["https://files.example.org/a", "https://files.example.org/f"])
            let refused = try answer.json["refused"]?.list ?? []
            #expect(refused.map { $0["index"]?.number } == [1, 2, 3, 4, 5])
            #expect(refused.map { $0["status"]?.number ?? 0 } == [422, 400, 400, 422, 400])
            #expect(refused.map { $0["code"]?.text } == ["bad-url", "usage", "usage", "bad-destination", "usage"])
            #expect(refused.allSatisfy { $0["detail"]?.text?.isEmpty == false })
            // All refused: a problem, with each of them in it.
            let none = try await fixture.ask("POST", "/v1/downloads", ["ftp://a/", 5])
            #expect(try none.status == 422 && none.json["refused"]?.list.count == 2)
            #expect(none["content-type"] == "application/problem+json")
            #expect(try await fixture.downloadCount == 2)
        }
    }

    @Test(arguments: [
        ("[]", 400), ("{}", 400), ("5", 400), ("null", 400), ("\"\"", 422), ("{\"url\": 5}", 400), ("{\"url\": \"x\"}", 422),
        ("{\"url\": \"http://a/\", \"url\": \"http://b/\"}", 400), ("{\"url\": \"http://a/\"", 400), ("nonsense", 400),
        ("{\"url\": \"http://a/\"}{}", 400), ("{\"url\": \"http://a/\", \"URL\": \"x\"}", 400),
        ("{\"url\": \"http://a/\", \"paused\": \"yes\"}", 400), ("{\"url\": \"http://a/\", \"priority\": 1.5}", 400),
        ("{\"url\": \"http://a/\", \"priority\": 2147483648}", 400), ("{\"url\": \"http://a/\", \"split\": 0}", 400),
        ("{\"url\": \"http://a/\", \"limitRate\": \"fast\"}", 400), ("{\"url\": \"http://a/\", \"timeout\": 0}", 400),
        ("{\"url\": \"http://a/\", \"timeout\": -1}", 400), ("{\"url\": \"http://a/\", \"notBefore\": \"soon\"}", 400),
        ("{\"url\": \"http://a/\", \"published\": \"2h\"}", 400), ("{\"url\": \"http://a/\", \"window\": \"5\"}", 422),
        ("{\"url\": \"http://a/\", \"checksum\": \"sha-256=00\"}", 422),
        ("{\"url\": \"http://a/\", \"overwrite\": true, \"skip\": true}", 422),
        ("{\"url\": \"http://a/\", \"tags\": [1]}", 400), ("{\"url\": \"http://a/\", \"expectType\": \"zip\"}", 422),
    ])
    func `what can not be read is 400, what can not be done 422, and nothing is recorded`(
        body: String, status: Int
    ) async throws {
        try await ServerFixture.run { $0.works = false } _: { fixture in
            let answer = try await fixture.ask(
                "POST", "/v1/downloads", [("Content-Type", "application/json")], bytes: Array(body.utf8))
            #expect(answer.status == status && answer["content-type"] == "application/problem+json", "\(answer.text)")
            let problem = try answer.json
            #expect(problem["type"] == "about:blank" && problem["status"]?.number == UInt64(status))
            #expect(problem["title"]?.text?.isEmpty == false && problem["detail"]?.text?.isEmpty == false)
            #expect(fixture.last == 0)
        }
    }

    @Test func `more than fits in a request is 413`() async throws {
        try await ServerFixture.run { $0.works = false } _: { fixture in
            let list = JSONValue.array((0...Downloads.requestsMax).map { "https://files.example.org/\($0)" })
            let answer = try await fixture.ask("POST", "/v1/downloads", list)
            #expect(answer.status == 413 && fixture.last == 0)
        }
    }

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
        try await ServerFixture.run { $0.works = false } _: { fixture in
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
                "?state=none", "?kind=none", "?sort=none", "?order=up", "?limit=0", "?limit=1001", "?limit=x",
                "?cursor=x", "?cursor=-1", "?cursor=9223372036854775807", "?at=yesterday", "?States=paused",
                "?sort=name&cursor=9223372036854775807",
            ] {
                #expect(try await fixture.ask("GET", "/v1/downloads" + query).status == 400, "\(query)")
            }
        }
    }

    @Test(arguments: ["", "&sort=name", "&sort=priority", "&sort=turn", "&order=desc", "&sort=added&order=desc"])
    func `pages show each row once`(order: String) async throws {
        try await ServerFixture.run { $0.works = false } _: { fixture in
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

    @Test func `a page goes on after its last id, whatever came and went meanwhile`() async throws {
        try await ServerFixture.run { $0.works = false } _: { fixture in
            let all = try await many(fixture)
            let first = try await fixture.ask("GET", "/v1/downloads?limit=10").json
            #expect(first["next"]?.text == "\(all[9])")
            for id in [all[3], all[9], all[12]] { _ = try await fixture.ask("DELETE", "/v1/downloads/\(id)") }
            let new = try await fixture.addPaused("/new")
            let rest = try await ids(fixture, "?limit=100&cursor=\(all[9])")
            #expect(rest == all[10...].filter { $0 != all[12] } + [new])
        }
    }

    @Test func `a change changes what it names, and nothing else`() async throws {
        try await ServerFixture.run { $0.works = false } _: { fixture in
            let id = try await fixture.addPaused("/a", ["title": "Old", "group": "g", "tags": ["x"]])
            let path = "/v1/downloads/\(id)"
            let changed = try await fixture.ask("PATCH", path, ["title": "New", "priority": 7, "tags": "y"]).json
            #expect(changed["title"] == "New" && changed["tags"] == ["y"] && changed["group"] == "g")
            #expect(try await fixture.ask("PATCH", path, ["group": "", "title": nil]).json["group"] == nil)
            #expect(try await fixture.ask("GET", path).json["title"] == "New")
            let moved = try await fixture.ask("PATCH", path, ["url": "https://files.example.org/b"]).json
            #expect(moved["url"] == "https://files.example.org/b")
            let last = fixture.last
            for (body, status) in [
                ("{}", 422), ("{\"title\": null}", 422), ("{\"pinned\": null}", 422), ("{\"titel\": \"x\"}", 400),
                ("{\"priority\": \"high\"}", 400), ("{\"url\": \"ftp://a/\"}", 422), ("[]", 400),
                ("{\"window\": \"x\"}", 422), ("{\"dir\": \"/etc\"}", 400),
            ] {
                let answer = try await fixture.ask(
                    "PATCH", path, [("Content-Type", "application/json")], bytes: Array(body.utf8))
                #expect(answer.status == status, "\(body): \(answer.status)")
            }
            #expect(fixture.last == last)
            #expect(try await fixture.ask("PATCH", "/v1/downloads/999", ["priority": 1]).status == 404)
        }
    }

    @Test func `a deletion does with the file what it says, and can be undone while the trash has it`() async throws {
        try await ServerFixture.run { fixture in
            for name in ["a", "b", "c"] { fixture.origin.serve("/" + name, OriginEntity([1, 2, 3])) }
            let ids = try await fixture.fetch(try ["a", "b", "c"].map { ["url": .string(try fixture.url("/" + $0))] })
            let disk = RealFileSystem()
            let files = { try disk.list(fixture.downloads).sorted() }
            let row = try await fixture.ask("DELETE", "/v1/downloads/\(ids[0])").json
            #expect(try row["state"] == "deleted" && files() == ["b", "c"])
            _ = try await fixture.ask("DELETE", "/v1/downloads/\(ids[1])?file=keep")
            #expect(try files() == ["b", "c"])
            _ = try await fixture.ask("DELETE", "/v1/downloads/\(ids[2])?file=purge")
            #expect(try files() == ["b"])
            #expect(try await fixture.ask("DELETE", "/v1/downloads/\(ids[0])?file=burn").status == 400)
            #expect(try await fixture.ask("DELETE", "/v1/downloads/\(ids[1])").status == 409)
            #expect(try await fixture.ask("DELETE", "/v1/downloads/999").status == 404)
            #expect(try await fixture.ask("POST", "/v1/downloads/\(ids[0])/undo").json["state"] == "completed")
            #expect(try files() == ["a", "b"])
            #expect(try await fixture.ask("POST", "/v1/downloads/\(ids[2])/undo").status == 409)
        }
    }
}
