import LedgerCoding
import LedgerTestSupport
import Testing

@testable import LedgerServer

/// Feeds, catalogs, the library, and how the program works.
@Suite(.timeLimit(.minutes(30))) struct LibraryTests {
    @Test func `a feed is followed, read, listed, taken from and let go`() async throws {
        try await ServerFixture.run { fixture in
            fixture.origin.otherwise { OriginReplyMaker.feed($0) }
            let url = JSONValue.string(try fixture.url("/feed.xml"))
            let answer = try await fixture.ask(
                "POST", "/v1/feeds", ["url": url, "keep": 10, "every": "2h", "group": "radio", "dir": "pods"])
            let row = try answer.json
            let id = try #require(row["id"]?.number)
            #expect(answer.status == 201 && answer["location"] == "/v1/feeds/\(id)")
            #expect(
                row["title"] == "Radio" && row["entries"]?.number == 2 && row["error"] == nil && row["auto"] == false)
            #expect(row["intervalSeconds"]?.number == 7200 && row["directory"]?.text?.hasSuffix("/pods") == true)
            #expect(try await fixture.ask("GET", "/v1/feeds").json["feeds"] == [row])
            #expect(try await fixture.ask("GET", "/v1/feeds/\(id)").json == row)
            // It is no catalog.
            #expect(try await fixture.ask("GET", "/v1/catalogs").json["catalogs"] == [])
            for (method, path) in [
                ("GET", ""), ("DELETE", ""), ("POST", "/refresh"), ("GET", "/entries"), ("POST", "/take"),
            ] {
                #expect(try await fixture.ask(method, "/v1/catalogs/\(id)\(path)").status == 404, "\(method) \(path)")
                #expect(try await fixture.ask(method, "/v1/feeds/999\(path)").status == 404, "\(method) \(path)")
            }
            let page = try await fixture.ask("GET", "/v1/feeds/\(id)/entries?limit=1").json
            #expect(page["entries"]?.list.first?["title"] == "Episode 2" && page["next"]?.number == 1)
            let rest = try await fixture.ask("GET", "/v1/feeds/\(id)/entries?limit=1&offset=1").json
            #expect(rest["entries"]?.list.first?["guid"] == "e1" && rest["next"] == nil)
            #expect(rest["entries"]?.list.first?["state"] == "available")
            let taken = try await fixture.ask("POST", "/v1/feeds/\(id)/take", ["guids": ["e1"]]).json
            let download = try #require(taken["downloads"]?.list.first?["id"]?.number)
            #expect(taken["refused"] == [] && taken["downloads"]?.list.count == 1)
            try await fixture.ended([download])
            #expect(try await fixture.ask("POST", "/v1/feeds/\(id)/take", ["guids": ["none"]]).status == 404)
            #expect(try await fixture.ask("POST", "/v1/feeds/\(id)/refresh").json["downloaded"]?.number == 1)
            try await library(fixture, download)
            #expect(try await fixture.ask("DELETE", "/v1/feeds/\(id)").status == 204)
            #expect(try await fixture.ask("DELETE", "/v1/feeds/\(id)").status == 404)
            #expect(try await fixture.ask("GET", "/v1/downloads/\(download)").json["state"] == "completed")
        }
    }

    @Test func `a catalog is followed, and all that it offers is taken, once`() async throws {
        try await ServerFixture.run { fixture in
            let list = #"{"title": "Course", "items": [{"id": "1", "url": "/1.mp4"}, {"id": "2", "url": "/2.mp4"}]}"#
            fixture.origin.otherwise { OriginEntity([1, 2]).reply(to: $0) }
            fixture.origin.on("/list.json") { request in
                var entity = OriginEntity(Array(list.utf8))
                entity.mediaType = "application/json"
                return entity.reply(to: request)
            }
            let row = try await fixture.ask("POST", "/v1/catalogs", ["url": .string(try fixture.url("/list.json"))])
                .json
            let id = try #require(row["id"]?.number)
            #expect(row["kind"] == "catalog" && row["title"] == "Course" && row["entries"]?.number == 2)
            #expect(try await fixture.ask("GET", "/v1/feeds/\(id)").status == 404)
            // Sent again because its answer was lost, it takes no more.
            let key = [("Idempotency-Key", "k")]
            var taken: [[UInt64]] = []
            for _ in 0..<2 {
                let answer = try await fixture.ask("POST", "/v1/catalogs/\(id)/take", key).json
                taken.append(answer["downloads"]?.list.compactMap { $0["id"]?.number } ?? [])
            }
            #expect(taken[0].count == 2)
            #expect(try await fixture.downloadCount == 2)
            try await fixture.ended(taken[0])
            let entries = try await fixture.ask("GET", "/v1/catalogs/\(id)/entries").json["entries"]?.list ?? []
            #expect(entries.compactMap { $0["download"]?["id"]?.number } == taken[0])
            #expect(try await fixture.ask("DELETE", "/v1/catalogs/\(id)").status == 204)
        }
    }

    /// One entry is a file here, the other is on offer.
    private func library(_ fixture: ServerFixture, _ download: UInt64) async throws {
        let all = try await fixture.ask("GET", "/v1/library").json
        #expect(all["total"]?.number == 2 && all["next"] == nil)
        #expect(all["items"]?.list.compactMap { $0["title"]?.text } == ["Episode 2", "Episode 1"])
        #expect(all["items"]?.list.first?["download"] == nil && all["items"]?.list.first?["entry"] != nil)
        let here = try await fixture.ask("GET", "/v1/library?filter=downloaded").json["items"]?.list ?? []
        #expect(here.map { $0["download"]?["id"]?.number } == [download])
        for (query, count) in [
            ("search=episode+2.mp3", 1), ("search=nothing", 0), ("kind=audio", 2), ("kind=video", 0),
            ("group=radio", 2),
            ("group=other", 0), ("limit=1", 1), ("limit=1&offset=2", 0), ("filter=all", 2),
        ] {
            let items = try await fixture.ask("GET", "/v1/library?\(query)").json["items"]?.list
            #expect(items?.count == count, "\(query)")
        }
        for query in ["filter=some", "kind=none", "limit=0", "offset=-1", "page=1"] {
            #expect(try await fixture.ask("GET", "/v1/library?\(query)").status == 400, "\(query)")
        }
    }

    @Test func `what can not be read is followed all the same, and says why`() async throws {
        try await ServerFixture.run { fixture in
            let answer = try await fixture.ask("POST", "/v1/catalogs", ["url": .string(try fixture.url("/none.xml"))])
            #expect(try answer.status == 201 && answer.json["error"]?["code"] == "status")
            for (body, status) in [
                (JSONValue.object([:]), 400), (["url": "x"], 422),
                (["url": .string(try fixture.url("/b")), "keep": 0], 400),
                (["url": .string(try fixture.url("/b")), "every": "soon"], 400),
                (["url": .string(try fixture.url("/b")), "filter": "("], 422), (["url": "/etc/feed.xml"], 422),
                (["url": .string(try fixture.url("/b")), "source": "x"], 400),
            ] {
                #expect(try await fixture.ask("POST", "/v1/catalogs", body).status == status, "\(body)")
            }
            #expect(try await fixture.ask("GET", "/v1/catalogs").json["catalogs"]?.list.count == 1)
        }
    }

    @Test func `limits are shown and changed, within their bounds`() async throws {
        try await ServerFixture.run { fixture in
            let limits = try await fixture.ask("GET", "/v1/limits").json
            #expect(limits["jobs"]?.number ?? 0 > 0 && limits["maxRate"] == nil)
            let changed = try await fixture.ask("PATCH", "/v1/limits", ["jobs": 3, "maxRate": "2M"]).json
            #expect(changed["jobs"]?.number == 3 && changed["maxRate"]?.number == 2 << 20)
            #expect(changed["perHost"] == limits["perHost"])
            #expect(try await fixture.ask("PATCH", "/v1/limits", ["maxRate": nil]).json["maxRate"] == nil)
            for body in [["jobs": 0], ["jobs": 1025], ["maxRate": "fast"], ["workers": 1], ["jobs": "3"]] as [JSONValue]
            {
                #expect(try await fixture.ask("PATCH", "/v1/limits", body).status == 400, "\(body)")
            }
        }
    }

    @Test func `a group is limited by its name, whatever stands in it`() async throws {
        try await ServerFixture.run { fixture in
            for (path, name) in [
                ("radio", "radio"), ("a%20b", "a b"), ("f%C3%BCr", "für"), ("a%2Fb", "a/b"), ("a+b", "a+b"),
            ] {
                let answer = try await fixture.ask("PUT", "/v1/groups/\(path)", ["newestMax": 5, "sizeMax": "1G"])
                let row = try answer.json
                #expect(answer.status == 200 && row["group"]?.text == name, "\(path): \(answer.text)")
                #expect(row["newestMax"]?.number == 5 && row["sizeMax"]?.number == 1 << 30)
            }
            let names = try await fixture.ask("GET", "/v1/groups").json["groups"]?.list.compactMap { $0["group"]?.text }
            #expect(names == ["a b", "a+b", "a/b", "für", "radio"])
            #expect(try await fixture.ask("PUT", "/v1/groups/radio", .object([:])).json["newestMax"] == nil)
            for body in [["newestMax": 0], ["sizeMax": -1], ["max": 1]] as [JSONValue] {
                #expect(try await fixture.ask("PUT", "/v1/groups/radio", body).status == 400, "\(body)")
            }
        }
    }

    @Test func `storage, status, health and metrics say how things stand`() async throws {
        try await ServerFixture.run { fixture in
            for name in ["a", "b"] { fixture.origin.serve("/" + name, OriginEntity([1, 2, 3])) }
            let ids = try await fixture.fetch(
                try ["a", "b"].map { ["url": .string(try fixture.url("/" + $0)), "group": "g"] })
            _ = try await fixture.ask("DELETE", "/v1/downloads/\(ids[1])")
            let storage = try await fixture.ask("GET", "/v1/storage").json
            #expect(storage["bytes"]?.number == 3 && storage["files"]?.number == 1 && storage["free"]?.number ?? 0 > 0)
            #expect(storage["trash"]?["files"]?.number == 1 && storage["groups"]?.list.first?["group"] == "g")
            let status = try await fixture.ask("GET", "/v1/status").json
            #expect(status["version"] == "test" && status["last"]?.number == fixture.last && status["scope"] == "admin")
            #expect(status["groups"] == ["g"] && status["queued"]?.number ?? 0 == 0)
            #expect(try await fixture.ask("GET", "/healthz").text == "ok\n")
            #expect(try await fixture.ask("GET", "/readyz").text == "ready\n")
            let metrics = try await fixture.ask("GET", "/metrics")
            #expect(metrics["content-type"]?.hasPrefix("text/plain; version=0.0.4") == true)
            #expect(metrics.text.contains("ledger_last_sequence \(fixture.last)\n"))
        }
    }
}
