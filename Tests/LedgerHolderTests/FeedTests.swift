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
    private func feed(_ episodes: ClosedRange<Int>, suffix: String = "", next: String? = nil) -> [UInt8] {
        let items = episodes.reversed().map { number in
            """
            <item><title>Episode \(number)</title><guid>e\(number)</guid>
            <pubDate>\(number % 28 + 1) Jan 2020 00:00:\(number % 60 < 10 ? "0" : "")\(number % 60) GMT</pubDate>
            <enclosure url="/\(number).mp3\(suffix)" type="audio/mpeg" length="0"/></item>
            """
        }
        let link = next.map { "<link xmlns='http://www.w3.org/2005/Atom' rel='next' href='\($0)'/>" } ?? ""
        let text = "<rss version=\"2.0\"><channel><title>Radio</title>\(link)\(items.joined())</channel></rss>"
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

    @Test(.timeLimit(.minutes(30)))
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
                state.queue.downloads.filter { $0.deletion?.value == .evicted }.count
            }
            #expect(deletions == 2)
        }
    }

    @Test(.timeLimit(.minutes(30)))
    func `the encoding that an origin states counts, and what it asks to wait is waited`() async throws {
        try await ServiceFixture.run { fixture in
            let items = [0xE9, 0xE8, 0xEA].map { UInt8($0) }.map { letter in
                Array("<item><guid>".utf8) + [letter] + Array("</guid><enclosure url='/x' length='0'/></item>".utf8)
            }
            let text =
                Array("<rss version='2.0'><channel><title>caf".utf8) + [0xE9]
                + Array("</title>".utf8) + items.flatMap { $0 } + Array("</channel></rss>".utf8)
            fixture.origin.on("/feed.xml") { _ in
                OriginReply(200, [("Content-Type", "application/rss+xml; charset=iso-8859-1")], body: text)
            }
            var request = try request(fixture, automatic: false)
            request.intervalSeconds = 300
            let row = try await follow(request, fixture)
            #expect(row.title == "café")
            #expect(try await fixture.service.entries(of: row.id).map(\.guid).sorted() == ["è", "é", "ê"])

            fixture.origin.on("/feed.xml") { _ in OriginReply(429, [("Retry-After", "1800")]) }
            let failed = try await refresh(fixture)
            #expect(failed.error != nil)
            let followed = try #require(try await fixture.service.read { $0.library.listings.values.first })
            let now = fixture.service.ledger.world.clock.now()
            let wait = now.duration(to: followed.nextAt)
            #expect(wait > .seconds(1700) && wait < .seconds(1900))
            let plan = try await fixture.service.read { $0.library.plan(at: now) }
            #expect(plan.read.isEmpty && plan.wakeAt == followed.nextAt)
        }
    }

    @Test(.timeLimit(.minutes(30)))
    func `a feed and its files are fetched the way that the program goes itself`() async throws {
        try await ServiceFixture.run { fixture in
            // A proxy is asked for whole URLs, of hosts that are nowhere.
            var own = OwnDefaults()
            own.http = try fixture.origin.url("").text
            (own.userAgent, own.retriesMax, own.bytesPerSecondMax) = ("me/1", 2, 1 << 30)
            fixture.service.take(own)
            fixture.origin.on("/feed.xml") { OriginEntity(feed(1...1)).reply(to: $0) }
            serveEpisodes(1...1, fixture)
            var request = try request(fixture)
            request.source = "http://feeds.example.org/feed.xml"
            #expect(try await follow(request, fixture).error == nil)
            #expect(try await settled(fixture, files: 1) == ["1.mp3"])
            let asked = fixture.origin.requests
            #expect(asked.allSatisfy { $0.target.hasPrefix("http://feeds.example.org/") && $0["user-agent"] == "me/1" })
            let row = try #require(try await fixture.service.list(ListQuery()).first)
            let options = try await fixture.service.read { $0.queue[row.id]?.order.options.value }
            #expect(options?.retriesMax == 2 && options?.bytesPerSecondMax == 1 << 30)
        }
    }

    @Test(.timeLimit(.minutes(30)))
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

    @Test(.timeLimit(.minutes(30)))
    func `what an entry's own address says opens its file, before what opens the feed`() async throws {
        try await ServiceFixture.run { fixture in
            fixture.origin.on("/1.mp3") { request in
                // eve:pw2
                let isKnown = request.fields.contains { $0.name == "authorization" && $0.value == "Basic ZXZlOnB3Mg==" }
                return isKnown ? OriginEntity([1]).reply(to: request) : OriginReply(401)
            }
            let own = try fixture.origin.url("/1.mp3").text.replacing("http://", with: "http://eve:pw2@")
            let text = String(decoding: feed(1...1), as: UTF8.self).replacing("\"/1.mp3", with: "\"" + own)
            fixture.origin.on("/feed.xml") { OriginEntity(Array(text.utf8)).reply(to: $0) }
            var request = try request(fixture)
            request.source = request.source.replacing("http://", with: "http://ada:hunter2@")
            _ = try await follow(request, fixture)
            #expect(try await settled(fixture, files: 1) == ["1.mp3"])
            for (path, bytes) in try fixture.files() where path.lastComponent?.string != "secrets" {
                let text = String(decoding: bytes, as: UTF8.self)
                #expect(!text.contains("pw2") && !text.contains("hunter2"), "\(path)")
            }
        }
    }

    @Test(.timeLimit(.minutes(30)))
    func `what failed at an address that its feed has signed anew is fetched there`() async throws {
        try await ServiceFixture.run { fixture in
            fixture.origin.on("/1.mp3") { request in
                request.target.hasSuffix("token=s2") ? OriginEntity([1]).reply(to: request) : OriginReply(403)
            }
            fixture.origin.on("/2.mp3") { _ in OriginReply(404) }
            fixture.origin.on("/feed.xml") { OriginEntity(feed(1...2, suffix: "?token=s1")).reply(to: $0) }
            let row = try await follow(try request(fixture), fixture)
            while try await fixture.service.list(ListQuery()).contains(where: { $0.state != .failed }) {
                await Task.yield()
            }
            // Nothing is asked for again under the same address.
            _ = try await refresh(fixture)
            #expect(try await fixture.service.list(ListQuery()).allSatisfy { $0.state == .failed })
            fixture.origin.on("/feed.xml") { OriginEntity(feed(1...2, suffix: "?token=s2")).reply(to: $0) }
            _ = try await refresh(fixture)
            #expect(try await settled(fixture, files: 1) == ["1.mp3"])
            let entries = try await fixture.service.entries(of: row.id)
            #expect(entries.map { $0.download?.state } == [.failed, .completed])
            #expect(try await fixture.service.list(ListQuery()).count == 2)
            let asked = fixture.origin.requests.map(\.target).filter { $0.hasPrefix("/2.mp3") }
            #expect(asked == ["/2.mp3?token=s1", "/2.mp3?token=s2"])
        }
    }

    @Test(.timeLimit(.minutes(30)))
    func `a feed is read page by page as far as there is anything new, and no page is read twice`() async throws {
        try await ServiceFixture.run { fixture in
            fixture.origin.on("/feed.xml") { OriginEntity(feed(5...6, next: "/2")).reply(to: $0) }
            fixture.origin.on("/2") { OriginEntity(feed(3...4, next: "/3")).reply(to: $0) }
            fixture.origin.on("/3") { OriginEntity(feed(1...2, next: "/2")).reply(to: $0) }
            let row = try await follow(try request(fixture, automatic: false), fixture)
            #expect(row.entries == 6 && row.error == nil)
            #expect(fixture.origin.requests.map(\.path) == ["/feed.xml", "/2", "/3"])
            fixture.origin.on("/feed.xml") { OriginEntity(feed(6...7, next: "/2")).reply(to: $0) }
            #expect(try await refresh(fixture).entries == 7)
            #expect(fixture.origin.requests.suffix(2).map(\.path) == ["/feed.xml", "/2"])
            fixture.origin.on("/feed.xml") { OriginEntity(feed(8...8, next: "/none")).reply(to: $0) }
            let part = try await refresh(fixture)
            #expect(part.entries == 8 && part.error?.code == "status", "what came counts, what did not is told")
            fixture.origin.on("/none") { OriginEntity(feed(9...9)).reply(to: $0) }
            let whole = try await refresh(fixture)
            #expect(whole.entries == 9 && whole.error == nil, "what was missing is asked for again")
        }
    }

    @Test(.timeLimit(.minutes(30)))
    func `a feed that changes its title, or came in part at first, keeps what it is to keep`() async throws {
        try await ServiceFixture.run { fixture in
            serveEpisodes(1...9, fixture)
            fixture.origin.on("/feed.xml") { OriginEntity(feed(1...5, next: "/none")).reply(to: $0) }
            let part = try await follow(try request(fixture, keep: 2), fixture)
            #expect(part.error?.code == "status" && part.title == "Radio")
            #expect(try await settled(fixture, files: 2) == ["4.mp3", "5.mp3"])
            fixture.origin.on("/feed.xml") { request in
                let text = String(decoding: feed(1...7), as: UTF8.self).replacing("Radio", with: "Radio of today")
                return OriginEntity(Array(text.utf8)).reply(to: request)
            }
            #expect(try await refresh(fixture).title == "Radio of today")
            #expect(try await settled(fixture, files: 2) == ["6.mp3", "7.mp3"])
        }
    }

    @Test(.timeLimit(.minutes(30)))
    func `two private feeds are two, and what was deleted stays so when one is followed again`() async throws {
        try await ServiceFixture.run { fixture in
            serveEpisodes(1...1, fixture)
            fixture.origin.on("/feed.xml") { OriginEntity(feed(1...1)).reply(to: $0) }
            var (one, other) = (try request(fixture), try request(fixture))
            one.source += "?token=AAA"
            other.source += "?token=CCC"
            let ids = [try await follow(one, fixture).id, try await follow(other, fixture).id]
            #expect(Set(ids).count == 2)
            #expect(try await follow(one, fixture).id == ids[0])
            #expect(try await settled(fixture, files: 1) == ["1.mp3"])
            let download = try #require(try await fixture.service.list(ListQuery()).first)
            _ = try await fixture.service.act(
                .delete(.purge), on: .ids([download.id]), command: CommandID(high: 1, low: 1))
            for id in ids { _ = try await fixture.service.library(.unfollow(id, .feed)) }
            let again = try await follow(one, fixture)
            #expect(again.id != ids[0] && again.entries == 1)
            #expect(try await fixture.service.entries(of: again.id).first?.download?.state == .deleted)
            await #expect(throws: Problem.self) { try await fixture.service.library(.unfollow(again.id, .catalog)) }
        }
    }

    @Test(.timeLimit(.minutes(30)))
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

    @Test(.timeLimit(.minutes(30)))
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
            let taken = try await fixture.service.library(.take(row.id, guids: ["l1"], nil, CommandID(high: 1, low: 2)))
            guard case .taken(let answers) = taken, case .accepted(let download, joined: false)? = answers.first else {
                Issue.record("l1 was not taken")
                return
            }
            #expect(download.title == "Lesson 1" && download.group == "Radio")
            #expect(try await settled(fixture, files: 1) == ["1.mp3"])
        }
    }
}
