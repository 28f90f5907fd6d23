import AppTestSupport
import DownloadLedger
import Foundation
import LedgerTestSupport
import Observation
import Testing

/// The app of the article, against an origin.
@MainActor struct PodcastAppTests {
    @Test func `an app that follows a podcast has its newest episodes, also after a restart`() async throws {
        try await AppFixture.run { fixture in
            serveFeed(fixture)
            let directory = fixture.directory("podcasts")
            let app = try await PodcastApp(at: directory, isExpensive: { false })
            let running = Task { await app.run() }
            await app.subscribe(to: try fixture.url("/feed.json"))
            await until { app.episodes.count(where: { $0.download?.state == .completed }) == 3 }
            #expect(app.podcasts.map(\.title) == ["Radio"] && app.episodes.count == 4)
            #expect(await app.player(for: app.episodes[0]).isFileURL)
            let old = app.episodes[3]
            #expect(await app.player(for: old) == old.url)
            let newest = try #require(app.episodes[0].download)
            await app.pin(newest)
            await app.refresh()
            await app.close()
            await running.value

            let again = try await PodcastApp(at: directory, isExpensive: { true })
            let rerunning = Task { await again.run() }
            await until { again.episodes.count == 4 }
            #expect(again.episodes[0].download?.isPinned ?? false)
            await again.download(again.episodes[3])
            await until { again.queue.downloads.first?.error?.code == "not-now" }
            let waiting = try #require(again.queue.downloads.first)
            await again.togglePause(waiting)
            await until { again.queue.downloads.first?.state == .paused }
            await again.close()
            await rerunning.value
            await again.refresh()
            #expect(again.message != nil)
        }
    }

    /// Waits until what is observed is so.
    private func until(_ isMet: () -> Bool) async {
        while !isMet() {
            await withCheckedContinuation { continuation in
                withObservationTracking {
                    _ = isMet()
                } onChange: {
                    continuation.resume()
                }
            }
            await Task.yield()
        }
    }

    private func serveFeed(_ fixture: AppFixture) {
        let items = (1...4).reversed().map { number in
            """
            {"id": "e-\(number)", "title": "Episode \(number)", "date_published": "2026-01-0\(number)T10:00:00Z",
             "attachments": [{"url": "/e-\(number).mp3", "mime_type": "audio/mpeg"}]}
            """
        }
        let feed = """
            {"version": "https://jsonfeed.org/version/1.1", "title": "Radio",
             "items": [\(items.joined(separator: ","))]}
            """
        fixture.serve("/feed.json", Array(feed.utf8))
        for number in 1...4 { fixture.serve("/e-\(number).mp3", OriginEntity.pattern(1000)) }
    }
}
