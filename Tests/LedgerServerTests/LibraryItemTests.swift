import LedgerCoding
import LedgerTestSupport
import Testing

@testable import LedgerServer

/// `GET /v1/library`: its order, and its pages.
@Suite(.timeLimit(.minutes(30))) struct LibraryItemTests {
    @Test func `pages are parts of one list, the newest first`() async throws {
        try await ServerFixture.run { fixture in
            let items = (0..<40).map { number -> JSONValue in
                var item: JSONObject = [
                    "id": .string("\(number)"), "url": .string("/\(number).\(["mp4", "zip"][number % 2])"),
                    "title": .string("Part \(number)"),
                ]
                if number % 3 != 0 { item["published"] = .string("2024-01-0\(1 + number % 5)T00:00:00Z") }
                return .object(item)
            }
            let list = JSONValue.object(["title": "Course", "items": .array(items)]).description
            fixture.origin.otherwise { OriginEntity([1, 2]).reply(to: $0) }
            fixture.origin.on("/list.json") { request in
                var entity = OriginEntity(Array(list.utf8))
                entity.mediaType = "application/json"
                return entity.reply(to: request)
            }
            let catalog = try await fixture.ask("POST", "/v1/catalogs", ["url": .string(try fixture.url("/list.json"))])
            let id = try #require(try catalog.json["id"]?.number)
            let taken = try await fixture.ask("POST", "/v1/catalogs/\(id)/take", ["guids": ["7", "9"]]).json
            try await fixture.ended(taken["downloads"]?.list.compactMap { $0["id"]?.number } ?? [])
            _ = try await fixture.fetch([["url": .string(try fixture.url("/alone.mp4"))]])

            let all = try await fixture.ask("GET", "/v1/library").json["items"]?.list ?? []
            #expect(all.count == 41 && Set(all.compactMap { $0["key"]?.text }).count == 41)
            let published = all.compactMap { $0["published"]?.text }
            #expect(published.count == 26 && published == published.sorted().reversed())
            #expect(all.last?["published"] == nil && all.last?["download"] == nil)
            for (query, isMeant) in [
                ("", { _ in true }), ("&kind=video", { $0["kind"] == "video" }),
                ("&search=PART+2.mp4", { $0["title"]?.text?.hasSuffix("2") == true && $0["kind"] == "video" }),
                ("&filter=downloaded", { $0["download"]?["state"] == "completed" }),
            ] as [(String, (JSONValue) -> Bool)] {
                let whole = try await fixture.ask("GET", "/v1/library?limit=1000\(query)").json["items"]?.list ?? []
                #expect(!whole.isEmpty && whole == all.filter(isMeant), "\(query)")
                for limit in [1, 7, 40, 41] {
                    var (seen, next) = ([JSONValue](), UInt64?(0))
                    while let offset = next, seen.count <= whole.count {
                        let page = try await fixture.ask(
                            "GET", "/v1/library?limit=\(limit)&offset=\(offset)\(query)"
                        ).json
                        seen += page["items"]?.list ?? []
                        next = page["next"]?.number
                        #expect(page["total"]?.number == UInt64(whole.count))
                    }
                    #expect(seen == whole, "\(query) \(limit)")
                }
            }
        }
    }
}
