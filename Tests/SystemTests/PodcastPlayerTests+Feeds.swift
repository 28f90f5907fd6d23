import AppTestSupport
import DownloadLedger
import FoundationEssentials
import LedgerTestSupport
import Synchronization
import Testing

// What the podcast player wishes for, of feeds and of files that are there.
extension PodcastPlayerTests {
    /// A feed of these episodes, one a day, and their files.
    private func publish(_ episodes: ClosedRange<Int>, _ app: AppFixture) {
        let items = episodes.map { number in
            app.serve("/\(number).mp3", OriginEntity.pattern(100 + number))
            return """
                <item><title>Episode \(number)</title><guid>ep-\(number)</guid>
                <pubDate>\(number < 10 ? "0" : "")\(number) Mar 2026 08:00:00 GMT</pubDate>
                <enclosure url="/\(number).mp3" type="audio/mpeg" length="\(100 + number)"/></item>
                """
        }
        let feed = "<rss version='2.0'><channel><title>Radio</title>\(items.joined())</channel></rss>"
        app.serve("/feed.xml", Array(feed.utf8))
    }

    @Test func `new episodes come by themselves, and the last 10 stay`() async throws {
        try await AppFixture.run { app in
            publish(1...12, app)
            var following = Listing.Following(.feed)
            (following.isAutomatic, following.newestMax) = (true, 10)
            let listing = try await app.ledger.follow(try app.url("/feed.xml"), following)
            #expect(listing.title == "Radio" && listing.error == nil && listing.entryCount == 12)
            func downloads() async throws -> [String: Download.ID] {
                try await app.ledger.entries(of: listing.id).reduce(into: [:]) { $0[$1.guid] = $1.download?.id }
            }
            let first = try await downloads()
            #expect(Set(first.keys) == Set((3...12).map { "ep-\($0)" }))
            for id in first.values { _ = try await app.ledger.handle(for: id).value }

            publish(2...13, app)
            try await app.ledger.refresh()
            let newest = try #require(try await downloads()["ep-13"])
            _ = try await app.ledger.handle(for: newest).value
            #expect(try await app.recorded("deleted").download == first["ep-3"])
            try await app.untilGone("3.mp3", in: "Radio")
            #expect(try app.names(in: "Radio").sorted() == (4...13).map { "\($0).mp3" }.sorted())
            // What was there once does not come again by itself.
            try await app.ledger.refresh()
            #expect(try await app.counts() == [.completed: 10])
            #expect(app.requested.filter { $0 == "/3.mp3" }.count == 1)
            #expect(!app.requested.contains("/1.mp3") && !app.requested.contains("/2.mp3"))
        }
    }

    @Test func `an episode is taken on some networks only, or when the device charges`() async throws {
        let obstacle = Mutex<NotNow?>(.metered)
        try await AppFixture.run(configured: .by { $0.policy = { obstacle.withLock { $0 } } }) { app in
            app.serve("/1.mp3", [1, 2, 3])
            let handle = try await app.ledger.enqueue(try app.url("/1.mp3"))
            _ = try await app.seen(handle.id) { $0.error?.message == "the network is metered" }
            obstacle.withLock { $0 = NotNow("the device does not charge") }
            app.ledger.networkChanged()
            let waiting = try await app.seen(handle.id) { $0.error?.message == "the device does not charge" }
            #expect(waiting.state == .waiting && waiting.error?.code == "not-now" && app.requested.isEmpty)
            obstacle.withLock { $0 = nil }
            app.ledger.networkChanged()
            #expect(try app.contents(try await handle.value) == [1, 2, 3])
        }
    }

    @Test func `the history has when an episode came, how long it took and how fast it was`() async throws {
        let clock = AppFixture.clock()
        try await AppFixture.run(in: AppFixture.world(clock)) { app in
            let gate = OriginGate()
            app.serve("/1.mp3", OriginEntity.pattern(400_000), holdingAt: gate, after: 100_000)
            let handle = try await app.ledger.enqueue(try app.url("/1.mp3"))
            await gate.reached()
            clock.advance(by: .seconds(8))
            gate.open()
            _ = try await handle.value
            let entry = try #require(try await app.ledger.downloads(.downloaded).first)
            let taken = try #require(entry.completedAt).timeIntervalSince(entry.addedAt)
            #expect(taken == 8 && Double(entry.size ?? 0) / taken == 50_000)
            #expect(entry.completedAt == AppFixture.begin + 8)
            let started = try #require(entry.startedAt)
            #expect((entry.addedAt...AppFixture.begin + 8).contains(started))
            var history = DownloadQuery()
            history.completed = entry.addedAt...AppFixture.begin + 8
            #expect(try await app.ledger.downloads(history).map(\.id) == [handle.id])
            history.completed = Date.distantPast...entry.addedAt
            #expect(try await app.ledger.downloads(history).isEmpty)
        }
    }

    @Test func `what was deleted is downloaded again, or comes back from the trash`() async throws {
        try await AppFixture.run { app in
            let bytes = OriginEntity.pattern(1000)
            let handle = try await app.fetched("/1.mp3", bytes)
            let file = try await handle.value
            try await app.ledger.delete(handle.id)
            #expect(try app.contents(file) == nil)
            #expect(try await app.ledger.undo().map(\.id) == [handle.id])
            #expect(try app.contents(file) == bytes && app.requested.count == 1)

            try await app.ledger.delete(handle.id, file: .purge)
            let again = try await app.ledger.enqueue(try app.url("/1.mp3"))
            #expect(!again.isJoined && again.id != handle.id)
            #expect(try app.contents(try await again.value) == bytes && app.requested.count == 2)
        }
    }

    @Test func `integrity is checked before playing, with the stream to fall back on`() async throws {
        try await AppFixture.run { app in
            let handle = try await app.fetched("/1.mp3", OriginEntity.pattern(1000))
            let (file, url) = (try await handle.value, try app.url("/1.mp3"))
            #expect(try await app.ledger.playbackURL(for: url, checking: true) == file)
            // A bit turns, and length and time stay: only the digest tells.
            try app.damage(file)
            #expect(try await app.ledger.playbackURL(for: url, checking: true) == url)
            #expect(try await app.ledger.download(handle.id)?.state == .altered)
            try await app.ledger.retry(handle.id)
            let mended = try await handle.value
            #expect(try await app.ledger.playbackURL(for: url, checking: true) == mended)
            #expect(try app.contents(mended) == OriginEntity.pattern(1000))
        }
    }
}
