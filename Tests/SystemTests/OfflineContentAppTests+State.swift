import AppTestSupport
import DownloadLedger
import FoundationEssentials
import LedgerTestSupport
import Observation
import Testing

extension OfflineContentAppTests {
    @Test func `a card has a name, a kind, a size and a badge for what is offline`() async throws {
        try await AppFixture.run { app in
            let light = try await app.fetched("/light.mp4", [1, 2, 3], DownloadOptions(title: "Light"))
            var paused = DownloadOptions(title: "Manual")
            paused.isPaused = true
            _ = try await app.ledger.enqueue(try app.url("/manual.pdf"), options: paused)
            let cards = try await app.ledger.downloads()
            #expect(cards.map(\.name) == ["Light", "Manual"] && cards.map(\.kind) == [.video, .document])
            #expect(cards.map(\.size) == [3, nil] && cards.map { $0.localURL != nil } == [true, false])
            #expect(cards[0].localURL == (try await light.value))
        }
    }

    @Test @MainActor func `one manager is the only source of truth, and every screen sees the same state`()
        async throws
    {
        try await AppFixture.run { app in
            let gate = OriginGate()
            app.serve("/light.mp4", OriginEntity.pattern(1000), holdingAt: gate, after: 500)
            let screens = [DownloadList(app.ledger), DownloadList(app.ledger, .queue)]
            let following = screens.map { screen in Task { await screen.follow() } }
            @MainActor func shown(_ isMeant: @MainActor () -> Bool) async {
                while !isMeant() {
                    await withCheckedContinuation { continuation in
                        withObservationTracking {
                            for screen in screens { _ = screen.downloads }
                        } onChange: {
                            continuation.resume()
                        }
                    }
                    await Task.yield()
                }
            }
            let handle = try await app.ledger.enqueue(try app.url("/light.mp4"))
            await shown { screens.allSatisfy { $0.downloads.first?.state == .running } }
            #expect(screens[0].downloads.map(\.id) == [handle.id])
            gate.open()
            await shown { screens[0].downloads.first?.state == .completed && screens[1].downloads.isEmpty }
            #expect(screens[0].downloads == (try await app.ledger.downloads()))
            for task in following {
                task.cancel()
                await task.value
            }
        }
    }

    @Test func `the state is checked against the files at start`() async throws {
        try await AppFixture.run { first in
            let gone = try await first.fetched("/gone.mp4", OriginEntity.pattern(1000))
            let cut = try await first.fetched("/cut.mp4", OriginEntity.pattern(1000))
            let whole = try await first.fetched("/whole.mp4", OriginEntity.pattern(1000))
            let files = (try await gone.value, try await cut.value)
            await first.ledger.close()
            try first.remove(files.0)
            try first.replace(files.1, with: [1, 2, 3])
            try await first.restarted { app in
                _ = try await app.recorded("missing", of: gone.id)
                _ = try await app.recorded("altered", of: cut.id)
                let states = try await app.ledger.downloads().map(\.state)
                #expect(states == [.missing, .altered, .completed])
                #expect(try await app.ledger.downloads(.downloaded).map(\.id) == [whole.id])
            }
        }
    }

    @Test func `files are named by id and type`() async throws {
        try await AppFixture.run(naming: .identifier) { app in
            let video = try await app.fetched("/a/light.mp4", [1], DownloadOptions(identifier: "v-1")).value
            let text = try await app.fetched("/b/manual.pdf", [2], DownloadOptions(identifier: "p-1")).value
            #expect([video, text].map(\.lastPathComponent) == ["v-1.mp4", "p-1.pdf"])
            #expect(try app.names() == ["p-1.pdf", "v-1.mp4"])
        }
    }

    @Test func `the manager answers isDownloading, isDownloaded, progress, download, delete, check and asset`()
        async throws
    {
        try await AppFixture.run { app in
            let (bytes, gate) = (OriginEntity.pattern(1000), OriginGate())
            app.serve("/light.mp4", bytes, holdingAt: gate, after: 500)
            let (ledger, url) = (app.ledger, try app.url("/light.mp4"))
            func answers() async throws -> [Bool] {
                [try await ledger.isDownloading(url), try await ledger.isDownloaded(url)]
            }
            #expect(try await answers() == [false, false])
            let handle = try await ledger.enqueue(url)
            #expect(try await answers() == [true, false])
            _ = try await app.seen(handle.id) { $0.received == 500 }
            #expect(try await ledger.progress(for: url)?.fraction == 0.5)
            #expect(try await ledger.playbackURL(for: url) == url)
            gate.open()
            let file = try await handle.value
            #expect(try await answers() == [false, true])
            #expect(try await ledger.playbackURL(for: url, checking: true) == file)
            try app.remove(file)
            #expect(try await answers() == [false, false])
            try await ledger.delete(handle.id)
            #expect(try await ledger.downloads(from: url).isEmpty)
        }
    }

    @Test func `the catalog is kept`() async throws {
        try await AppFixture.run { first in
            var options = DownloadOptions(group: "course", title: "Light", identifier: "v-1")
            (options.details, options.tags) = ("how to see it", ["begin"])
            try await first.fetched("/light.mp4", OriginEntity.pattern(1000), options)
            let before = try await first.ledger.downloads()
            try await first.origin.stop()
            try await first.restarted { app in
                let after = try await app.ledger.downloads()
                #expect(after == before)
                #expect(before.map(\.title) == ["Light"] && before.map(\.tags) == [["begin"]])
            }
        }
    }

    @Test func `content of a backend's list is created, read, changed and deleted`() async throws {
        try await AppFixture.run { app in
            app.serve("/light.mp4", [1, 2, 3])
            app.serve("/list", Array(#"[{"id": "v-1", "name": "Light", "url": "/light.mp4"}]"#.utf8))
            let listing = try await app.ledger.follow(try app.url("/list"), .init(.catalog))
            let entry = try #require(try await app.ledger.entries(of: listing.id).first)
            #expect(entry.title == "Light" && entry.kind == .video && entry.download == nil)
            let handle = try await app.ledger.enqueue(entry)
            _ = try await handle.value
            let read = try await app.ledger.entries(of: listing.id).first?.download
            #expect(read?.state == .completed && read?.identifier == "v-1")
            var update = DownloadUpdate()
            (update.title, update.details, update.tags) = ("Light and shadow", "Second edition", ["new"])
            try await app.ledger.update(handle.id, with: update)
            var query = DownloadQuery()
            query.search = "shadow"
            #expect(try await app.ledger.downloads(query).first?.tags == ["new"])
            try await app.ledger.undo()
            #expect(try await app.ledger.download(handle.id)?.title == "Light")
            try await app.ledger.delete(handle.id)
            #expect(try await app.ledger.downloads().isEmpty)
            try await app.ledger.unfollow(listing.id)
            #expect(try await app.ledger.listings().isEmpty)
        }
    }

    @Test func `a queue has priorities`() async throws {
        try await AppFixture.run(runningMax: 1) { app in
            let gate = OriginGate()
            app.serve("/first", [1], holdingAt: gate)
            let first = try await app.ledger.enqueue(try app.url("/first"))
            await gate.reached()
            var requests: [DownloadRequest] = []
            for (path, priority) in [("/low", -1), ("/usual", 0), ("/high", 5)] {
                app.serve(path, [2])
                var options = DownloadOptions()
                options.priority = Int32(priority)
                requests.append(DownloadRequest(try app.url(path), options: options))
            }
            let handles = try await app.ledger.enqueue(requests).map { try $0.get() }
            let queue = try await app.ledger.downloads(.queue)
            #expect(queue.map(\.id) == [handles[2], first, handles[1], handles[0]].map(\.id))
            gate.open()
            for handle in handles { _ = try await handle.value }
            #expect(app.requested == ["/first", "/high", "/usual", "/low"])
        }
    }

    @Test func `figures of what was done are in the events and in the catalog`() async throws {
        try await AppFixture.run(retries: .never) { app in
            try await app.fetched("/light.mp4", OriginEntity.pattern(1000))
            let none = try await app.ledger.enqueue(try app.url("/none.mp4"))
            let last = try await app.recorded("failed", of: none.id)
            var counts: [String: Int] = [:]
            for try await event in app.ledger.events() {
                counts[event.type, default: 0] += 1
                if event == last { break }
            }
            #expect(counts["enqueued"] == 2 && counts["completed"] == 1 && counts["failed"] == 1)
            let downloads = try await app.ledger.downloads()
            #expect(downloads.map(\.attempts) == [1, 1] && downloads[0].received == 1000)
            let figures = try await app.ledger.statistics().total
            #expect(figures.enqueued == 2 && figures.completed == 1 && figures.bytes == 1000 && figures.failures == 1)
        }
    }

    @Test func `each user has a ledger, and sees nothing of another's`() async throws {
        try await AppFixture.run { ada in
            try await AppFixture.run { bob in
                try await ada.fetched("/light.mp4", [1, 2, 3])
                try await bob.fetched("/shade.mp4", [1, 2])
                #expect(try await ada.ledger.downloads().map(\.name) == ["light.mp4"])
                #expect(try await bob.ledger.downloads().map(\.name) == ["shade.mp4"])
                #expect(try await bob.ledger.storage().total.bytes == 2)
            }
        }
    }

    @Test func `what was viewed last says what may be liked next`() async throws {
        let clock = AppFixture.clock()
        try await AppFixture.run(in: AppFixture.world(clock)) { app in
            app.serve("/light.mp4", [1, 2, 3])
            app.serve("/walk.mp4", [1, 2, 3])
            let list = """
                [{"id": "v-1", "name": "Light", "url": "/light.mp4", "group": "Basics", "order": 1},
                 {"id": "v-2", "name": "Shade", "url": "/shade.mp4", "group": "Basics", "order": 2},
                 {"id": "w-1", "name": "Walk", "url": "/walk.mp4", "group": "Streets", "order": 1}]
                """
            app.serve("/list", Array(list.utf8))
            let listing = try await app.ledger.follow(try app.url("/list"), .init(.catalog))
            let entries = try await app.ledger.entries(of: listing.id)
            for guid in ["w-1", "v-1"] {
                let entry = try #require(entries.first { $0.guid == guid })
                _ = try await app.ledger.enqueue(entry).value
                clock.advance(by: .seconds(100))
                _ = try await app.ledger.playbackURL(for: entry.url)
            }
            let viewed = try await app.ledger.downloads().filter { $0.usedAt != nil }
            let last = try #require(viewed.max { $0.usedAt ?? .distantPast < $1.usedAt ?? .distantPast })
            let entry = try #require(entries.first { $0.guid == last.identifier })
            #expect(try await app.ledger.next(after: entry)?.guid == "v-2")
        }
    }
}
