import LedgerAPI
import LedgerCoding
import LedgerModel
import LedgerSystem
import LedgerTestSupport
import Testing

@testable import LedgerServer

/// `/v1/downloads`: asking for, listing, changing and deleting.
@Suite(.timeLimit(.minutes(30))) struct DownloadTests {
    @Test func `words about a download have a bound, and words to look for too`() async throws {
        try await ServerFixture.run(.idle) { fixture in
            let long = JSONValue.string(String(repeating: "x", count: Labels.textBytesMax + 1))
            let name = JSONValue.string(String(repeating: "x", count: GroupLimits.nameBytesMax + 1))
            let id = try await fixture.addPaused("/f.bin")
            for words: JSONObject in [["details": long], ["title": long], ["tags": [long]], ["group": name]] {
                var form: JSONObject = ["url": "https://files.example.org/long"]
                form.merge(words)
                #expect(try await fixture.ask("POST", "/v1/downloads", .object(form)).status == 422)
                #expect(try await fixture.ask("PATCH", "/v1/downloads/\(id)", .object(words)).status == 422)
            }
            let words = String(repeating: "x", count: WordSearch.bytesMax + 1)
            for path in ["/v1/downloads", "/v1/library"] {
                #expect(try await fixture.ask("GET", path + "?search=" + words).status == 422)
                #expect(try await fixture.ask("GET", path + "?search=" + words.dropLast()).status == 200)
            }
            let action: JSONValue = ["action": "resume", "filter": ["search": .string(words)]]
            #expect(try await fixture.ask("POST", "/v1/actions", action).status == 422)
            #expect(try await fixture.ask("GET", "/v1/downloads/0\(id)").status == 404)
            #expect(try await fixture.ask("GET", "/v1/downloads/+\(id)").status == 404)
        }
    }

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
            #expect(
                try answer.status == 201 && answer["location"] == "/v1/downloads/\(id)" && answer.json["refused"] == [])
            #expect((row["seq"]?.number ?? 0) >= id)
            #expect(row["joined"] == false && row["priority"] == .int(5) || row["priority"] == .uint(5))
            try await fixture.ended([id])
            let shown = try await fixture.ask("GET", "/v1/downloads/\(id)").json
            let keys = [
                "id", "url", "path", "state", "size", "received", "digest", "kind", "group", "title", "details", "tags",
                "priority", "attempts", "error", "addedAt", "startedAt", "completedAt", "checkedAt", "retryAt", "rate",
                "resumedFrom", "streams", "insecure", "identifier", "published", "usedAt", "pinned", "output",
                "checksum", "options", "mediaType", "seq",
            ]
            #expect(shown.members.map(\.name) == keys)
            #expect(shown["state"] == "completed" && shown["size"]?.number == 3 && shown["title"] == "Title")
            #expect(
                shown["options"]?.description
                    == #"{"headerNames":["X-One"],"limitRate":10485760,"retries":2,"split":4,"#
                    + #""timeout":"90000ms","expectLength":3,"userAgent":"test/1"}"#)
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

    @Test func `of many each is judged alone: what is refused is told with its place, the others are taken`()
        async throws
    {
        try await ServerFixture.run(.idle) { fixture in
            let list: JSONValue = [
                "https://files.example.org/a", ["url": "ftp://files.example.org/b"], 5,
                ["url": "https://files.example.org/c", "wrong": true],
                ["url": "https://files.example.org/d", "dir": "/etc"],
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
            // All refused: a problem, with each of them in it. The list itself could be read.
            for (list, statuses) in [
                (["ftp://a/", 5], [422, 400]), ([5, "ftp://a/"], [400, 422]), ([5], [400]), (["ftp://a/"], [422]),
            ] as [(JSONValue, [UInt64])] {
                let none = try await fixture.ask("POST", "/v1/downloads", list)
                let told = try none.json["refused"]?.list.compactMap { $0["status"]?.number }
                #expect(none.status == 422 && told == statuses, "\(list): \(none.text)")
                #expect(none["content-type"] == "application/problem+json")
            }
            #expect(try await fixture.downloadCount == 2)
        }
    }

    @Test func `what joins is told as joined, and stays as it is`() async throws {
        try await ServerFixture.run(.idle) { fixture in
            let id = try await fixture.addPaused("/a", ["title": "Old", "priority": 1])
            let last = fixture.last
            let form: JSONObject = ["url": .string(try fixture.url("/a")), "title": "New", "priority": 7, "split": 2]
            for body in [.object(form), [.object(form)], .object(form)] as [JSONValue] {
                let answer = try await fixture.ask("POST", "/v1/downloads", body)
                let row = try #require(try answer.json["downloads"]?.list.first)
                #expect(answer.status == 201 && answer["location"] == "/v1/downloads/\(id)")
                #expect(row["joined"] == true && row["id"]?.number == id && row["title"] == "Old")
                #expect(row["priority"]?.number ?? 1 == 1 && fixture.last == last)
            }
        }
    }

    @Test(arguments: [
        ("[]", 400), ("{}", 400), ("5", 400), ("null", 400), ("\"\"", 422), ("{\"url\": 5}", 400),
        ("{\"url\": \"x\"}", 422),
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
        try await ServerFixture.run(.idle) { fixture in
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
        try await ServerFixture.run(.idle) { fixture in
            let list = JSONValue.array((0...Downloads.requestsMax).map { "https://files.example.org/\($0)" })
            let answer = try await fixture.ask("POST", "/v1/downloads", list)
            #expect(answer.status == 413 && fixture.last == 0)
        }
    }

    @Test func `a change changes what it names, and nothing else`() async throws {
        try await ServerFixture.run(.idle) { fixture in
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
