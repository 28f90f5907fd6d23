import LedgerAPI
import LedgerEngine
import LedgerModel
import LedgerSystem
import LedgerTestSupport
import SystemPackage
import Testing

@testable import LedgerHolder

/// Feeds and catalogs over real sockets.
struct FeedTests {
    /// A podcast of so many episodes, the newest first.
    private func feed(_ episodes: ClosedRange<Int>, suffix: String = "") -> [UInt8] {
        let items = episodes.reversed().map { number in
            """
            <item><title>Episode \(number)</title><guid>e\(number)</guid>
            <pubDate>\(number % 28 + 1) Jan 2020 00:00:\(number % 60 < 10 ? "0" : "")\(number % 60) GMT</pubDate>
            <enclosure url="/\(number).mp3\(suffix)" type="audio/mpeg" length="0"/></item>
            """
        }
        let text = "<rss version=\"2.0\"><channel><title>Radio</title>\(items.joined())</channel></rss>"
        return Array(text.utf8)
    }

    private func request(_ fixture: ServiceFixture, keep: UInt32? = nil, automatic: Bool = true) throws -> FollowRequest
    {
        var request = FollowRequest(
            kind: .feed, source: try fixture.origin.url("/feed.xml").text, directory: fixture.downloads.string)
        (request.newestMax, request.isAutomatic) = (keep, automatic)
        return request
    }

    private func follow(_ request: FollowRequest, _ fixture: ServiceFixture) async throws -> ListingRow {
        guard case .listings(let rows) = try await fixture.service.library(.follow(request)) else {
            throw Problem(.internal, "no listing")
        }
        return try #require(rows.first)
    }

    private func refresh(_ fixture: ServiceFixture) async throws -> ListingRow {
        guard case .listings(let rows) = try await fixture.service.library(.refresh([], .feed)) else {
            throw Problem(.internal, "no listing")
        }
        return try #require(rows.first)
    }

    private func serveEpisodes(_ numbers: ClosedRange<Int>, _ fixture: ServiceFixture) {
        for number in numbers {
            fixture.origin.on("/\(number).mp3") { OriginEntity([UInt8(number), 1]).reply(to: $0) }
        }
    }

    /// Waits until so many files stand in the group's directory and nothing is on its way.
    private func settled(_ fixture: ServiceFixture, files count: Int) async throws -> [String] {
        while true {
            let rows = try await fixture.service.list(ListQuery())
            let directory = fixture.downloads.appending("Radio")
            let names = try fixture.disk.status(of: directory) == nil ? [] : try fixture.disk.list(directory)
            if rows.allSatisfy(\.state.isEnd), names.count == count { return names.sorted() }
            await Task.yield()
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func `the newest of a feed are kept, and what was evicted or deleted does not come back`() async throws {
        try await ServiceFixture.run { fixture in
            serveEpisodes(1...9, fixture)
            fixture.origin.on("/feed.xml") { OriginEntity(feed(1...5), entityTag: "\"1\"").reply(to: $0) }
            let row = try await follow(try request(fixture, keep: 3), fixture)
            #expect(row.title == "Radio" && row.entries == 5 && row.error == nil)
            #expect(try await settled(fixture, files: 3) == ["3.mp3", "4.mp3", "5.mp3"])
            // Unchanged: the origin is asked under a condition, and says so.
            #expect(try await refresh(fixture).entries == 5)
            #expect(fixture.origin.requests.last?.fields.contains { $0.name == "if-none-match" } ?? false)
            fixture.origin.on("/feed.xml") { OriginEntity(feed(1...7), entityTag: "\"2\"").reply(to: $0) }
            #expect(try await refresh(fixture).entries == 7)
            #expect(try await settled(fixture, files: 3) == ["5.mp3", "6.mp3", "7.mp3"])
            let rows = try await fixture.service.list(ListQuery())
            let newest = try #require(rows.first { $0.identifier == "e7" })
            #expect(newest.group == "Radio" && newest.title == "Episode 7")
            _ = try await fixture.service.act(
                .delete(.purge), on: .ids([newest.id]), command: CommandID(high: 1, low: 1))
            _ = try await refresh(fixture)
            #expect(try await settled(fixture, files: 2) == ["5.mp3", "6.mp3"])
            let entries = try await fixture.service.entries(of: row.id)
            #expect(entries.map(\.guid) == ["e7", "e6", "e5", "e4", "e3", "e2", "e1"])
            #expect(
                entries.map { $0.download?.state } == [.deleted, .completed, .completed, .deleted, .deleted, nil, nil])
            let deletions = try await fixture.service.read { state in
                state.queue.downloads.values.filter { $0.deletion?.value == .evicted }.count
            }
            #expect(deletions == 2)
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func `secrets of a private feed open its files, and stand in no log`() async throws {
        try await ServiceFixture.run { fixture in
            fixture.origin.on("/1.mp3") { request in
                let isKnown = request.fields.contains { $0.name == "authorization" }
                return isKnown ? OriginEntity([1]).reply(to: request) : OriginReply(401)
            }
            fixture.origin.on("/feed.xml") { OriginEntity(feed(1...1, suffix: "?token=s3cr3t")).reply(to: $0) }
            var request = try request(fixture)
            request.source = request.source.replacing("http://", with: "http://ada:hunter2@")
            #expect(try await follow(request, fixture).error == nil)
            #expect(try await settled(fixture, files: 1) == ["1.mp3"])
            #expect(fixture.origin.requests.contains { $0.target == "/1.mp3?token=s3cr3t" })
            for (path, bytes) in try fixture.files() where path.lastComponent?.string != "secrets" {
                let text = String(decoding: bytes, as: UTF8.self)
                #expect(!text.contains("s3cr3t") && !text.contains("hunter2"), "\(path)")
            }
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func `what is no feed is told, followed all the same, and its entries stay when it breaks`() async throws {
        try await ServiceFixture.run { fixture in
            fixture.origin.on("/feed.xml") { OriginEntity(feed(1...2)).reply(to: $0) }
            let row = try await follow(try request(fixture, automatic: false), fixture)
            #expect(row.entries == 2 && row.error == nil && row.downloaded == 0)
            fixture.origin.on("/feed.xml") { OriginEntity(Array("<html><body>no</body></html>".utf8)).reply(to: $0) }
            let broken = try await refresh(fixture)
            #expect(broken.entries == 2 && broken.error?.message.contains("web page") ?? false)
            #expect(broken.refreshedAt == row.refreshedAt)
            let gone = FollowRequest(
                kind: .feed, source: try fixture.origin.url("/none").text, directory: fixture.downloads.string)
            #expect(try await follow(gone, fixture).error?.code == "status")
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func `a catalog from a file offers what can be taken`() async throws {
        try await ServiceFixture.run { fixture in
            serveEpisodes(1...2, fixture)
            let path = fixture.root.appending("lessons.json")
            let list = try (1...2).map { number in
                """
                {"id": "l\(number)", "name": "Lesson \(number)",
                "url": "\(try fixture.origin.url("/\(number).mp3").text)", "group": "Radio",
                "order": \(3 - number), "thumbnail": "https://host.example/\(number).png"}
                """
            }
            try fixture.disk.replaceContents(
                of: path, with: Array("[\(list.joined(separator: ","))]".utf8), permissions: 0o644)
            let request = FollowRequest(kind: .catalog, source: path.string, directory: fixture.downloads.string)
            let row = try await follow(request, fixture)
            #expect(row.entries == 2 && row.error == nil)
            let entries = try await fixture.service.entries(of: row.id)
            #expect(entries.map(\.guid) == ["l2", "l1"] && entries.allSatisfy { $0.download == nil })
            #expect(entries[0].thumbnail == "https://host.example/2.png" && entries[0].kind == .audio)
            let taken = try await fixture.service.library(.take(row.id, guids: ["l1"], CommandID(high: 1, low: 2)))
            guard case .taken(let answers) = taken, case .accepted(let download, joined: false)? = answers.first else {
                Issue.record("l1 was not taken")
                return
            }
            #expect(download.title == "Lesson 1" && download.group == "Radio")
            #expect(try await settled(fixture, files: 1) == ["1.mp3"])
        }
    }
}
