import AppTestSupport
import DownloadLedger
import FoundationEssentials
import LedgerTestSupport
import Testing

/// The examples of feeds and catalogs, and of what stays.
struct FeedExamples {
    private let stage = Stage()

    private func show(_ line: String) { stage.show(line) }

    private func play(_ file: URL) { stage.play(file) }

    /// A feed of so many episodes, the newest first, and their files.
    private func serveFeed(_ app: AppFixture, episodes: Int) {
        let items = (1...episodes).reversed().map { number in
            """
            {"id": "e-\(number)", "title": "Episode \(number)", "date_published": "2026-01-0\(number)T10:00:00Z",
             "attachments": [{"url": "/e-\(number).mp3", "mime_type": "audio/mpeg", "size_in_bytes": 1000}]}
            """
        }
        let feed = """
            {"version": "https://jsonfeed.org/version/1.1", "title": "Radio",
             "items": [\(items.joined(separator: ","))]}
            """
        var entity = OriginEntity(Array(feed.utf8), entityTag: "\"\(episodes)\"")
        entity.mediaType = "application/feed+json"
        app.origin.on("/feed.json") { [entity] in entity.reply(to: $0) }
        for number in 1...episodes { app.serve("/e-\(number).mp3", OriginEntity.pattern(1000)) }
    }

    private func finishAll(_ ledger: DownloadLedger) async throws {
        for download in try await ledger.downloads() { _ = try await ledger.handle(for: download.id).value }
    }

    @Test func `a feed is followed`() async throws {
        try await AppFixture.run { app in
            serveFeed(app, episodes: 2)
            let (ledger, feed) = (app.ledger, try app.url("/feed.json"))
            var following = Listing.Following(.feed)
            following.isAutomatic = true
            following.newestMax = 10
            let podcast = try await ledger.follow(feed, following)
            #expect(podcast.title == "Radio" && podcast.entryCount == 2)
            try await finishAll(ledger)
            for listing in try await ledger.listings() { show("\(listing.title ?? listing.source)") }
            for listing in try await ledger.listings() where listing.kind == .feed {
                show("\(listing.title ?? listing.source): \(listing.downloadedCount) of \(listing.entryCount)")
            }
            #expect(stage.lines == ["Radio", "Radio: 2 of 2"])
            for podcast in try await ledger.refresh() {
                if let error = podcast.error { show("\(podcast.source): \(error.message)") }
            }
            let savedListing = podcast.id.rawValue
            let listing = Listing.ID(savedListing)
            #expect(try await ledger.entries(of: listing).count == 2)
            try await ledger.unfollow(podcast.id)
            #expect(try await ledger.listings().isEmpty)
            #expect(try await ledger.downloads(.downloaded).count == 2)
        }
    }

    @Test func `entries are shown, and taken one by one`() async throws {
        try await AppFixture.run { app in
            serveFeed(app, episodes: 3)
            let (ledger, feed) = (app.ledger, try app.url("/feed.json"))
            let podcast = try await ledger.follow(feed, Listing.Following(.feed))
            let entry = try #require(try await ledger.entries(of: podcast.id).first)
            let next = try await ledger.next(after: entry)
            #expect(next?.title == "Episode 2")
            let handle = try await ledger.enqueue(entry)
            _ = try await handle.value
            play(try await ledger.playbackURL(of: entry))
            for entry in try await ledger.entries(of: podcast.id) {
                show("\(entry.title ?? entry.guid): \(entry.download?.state.rawValue ?? "available")")
            }
            for entry in try await ledger.entries(of: podcast.id) where entry.download == nil && entry.isOffered {
                show("\(entry.title ?? entry.guid) could be downloaded")
            }
            #expect(
                stage.lines == [
                    "plays e-3.mp3", "Episode 3: completed", "Episode 2: available", "Episode 1: available",
                    "Episode 2 could be downloaded", "Episode 1 could be downloaded",
                ])
        }
    }

    @Test func `a catalog is a list that someone keeps`() async throws {
        try await AppFixture.run { app in
            let ledger = app.ledger
            let lessons = """
                {"title": "Photography", "lessons": [
                  {"id": "l-1", "title": "Light", "module": "Basics", "position": 1, "videoURL": "/light.mp4"},
                  {"id": "l-2", "title": "Shutter", "module": "Basics", "position": 2, "videoURL": "/shutter.mp4"}
                ]}
                """
            app.serve("/course.json", Array(lessons.utf8))
            app.serve("/light.mp4", [1, 2, 3])
            let url = try app.url("/course.json")
            let course = try await ledger.follow(url, Listing.Following(.catalog))
            let entries = try await ledger.entries(of: course.id)
            let first = try await ledger.enqueue(entries[0]).value
            #expect(entries.map(\.title) == ["Light", "Shutter"] && entries[0].group == "Basics")
            #expect(first.path().hasSuffix("/files/Basics/light.mp4"))
        }
    }

    @Test func `a group keeps its newest, and what is pinned`() async throws {
        try await AppFixture.run { app in
            let ledger = app.ledger
            var handles: [DownloadHandle] = []
            for number in 1...4 {
                app.serve("/e-\(number)", OriginEntity.pattern(1000))
                var options = DownloadOptions(group: "radio")
                options.published = Date(timeIntervalSince1970: Double(number) * 86_400)
                handles.append(try await ledger.enqueue(try app.url("/e-\(number)"), options: options))
            }
            for handle in handles { _ = try await handle.value }
            let handle = handles[0]
            try await ledger.pin(.ids([handle.id]))
            try await ledger.touch(handle.id)
            try await ledger.keep(newestMax: 2, in: "radio")
            #expect(try await ledger.downloads(.downloaded).map(\.id) == [handles[0].id, handles[2].id, handles[3].id])
            let (lines, written) = AsyncStream.makeStream(of: String.self)
            @Sendable func audit(_ line: String) { written.yield(line) }
            let reading = Task {
                for try await event in ledger.events() where event.isEviction {
                    guard let id = event.download, let download = try await ledger.download(id) else { continue }
                    audit("evicted: \(download.name)")
                }
            }
            #expect(await lines.first { _ in true } == "evicted: e-2")
            reading.cancel()
            try await reading.value
            try await ledger.keep(newestMax: 10, bytesMax: 2_000_000_000, in: "radio")
            try await ledger.unpin(.where { $0.isPinned && $0.group == "radio" })
            #expect(try await ledger.download(handle.id)?.isPinned == false)
        }
    }
}
