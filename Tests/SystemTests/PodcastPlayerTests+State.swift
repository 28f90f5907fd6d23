import AppTestSupport
import DownloadLedger
import FoundationEssentials
import LedgerTestSupport
import Synchronization
import Testing

extension PodcastPlayerTests {
    /// What the player shows beside an episode.
    private enum Badge { case notDownloaded, downloading, paused, downloaded, failed }

    private func badge(_ url: URL, _ app: AppFixture) async throws -> Badge {
        switch try await app.ledger.downloads(from: url).first?.state {
        case .queued, .running, .waiting: .downloading
        case .paused: .paused
        case .completed: .downloaded
        case .failed: .failed
        case .cancelled, .deleted, .missing, .altered, nil: .notDownloaded
        }
    }

    @Test func `badges are not downloaded, downloading, paused, downloaded, and failed with a retry`() async throws {
        try await AppFixture.run(retries: .never) { app in
            let (url, gate, bytes) = (try app.url("/1.mp3"), OriginGate(), OriginEntity.pattern(1000))
            app.origin.script(
                "/1.mp3",
                [
                    { _ in OriginReply(500) }, { OriginEntity(bytes).reply(to: $0).holding(at: gate, after: 500) },
                ])
            #expect(try await badge(url, app) == .notDownloaded)
            var held = DownloadOptions()
            held.isPaused = true
            let handle = try await app.ledger.enqueue(url, options: held)
            #expect(try await badge(url, app) == .paused)
            try await app.ledger.resume(handle.id)
            _ = try await app.recorded("failed", of: handle.id)
            #expect(try await badge(url, app) == .failed)
            try await app.ledger.retry(handle.id)
            await gate.reached()
            #expect(try await badge(url, app) == .downloading)
            gate.open()
            _ = try await handle.value
            #expect(try await badge(url, app) == .downloaded)
            try await app.ledger.delete(handle.id)
            #expect(try await badge(url, app) == .notDownloaded)
        }
    }

    @Test func `a selection is downloaded as one batch, and what one is refused for holds up no other`()
        async throws
    {
        try await AppFixture.run { app in
            var requests = [DownloadRequest(try #require(URL(string: "ftp://example.org/0.mp3")))]
            for episode in 1...4 {
                app.serve("/\(episode).mp3", OriginEntity.pattern(100 * episode))
                requests.append(DownloadRequest(try app.url("/\(episode).mp3")))
            }
            let answers = try await app.ledger.enqueue(requests)
            #expect(answers.count == 5)
            #expect(throws: DownloadError.self) { try answers[0].get() }
            for (episode, answer) in answers.enumerated().dropFirst() {
                #expect(try app.contents(try await answer.get().value) == OriginEntity.pattern(100 * episode))
            }
        }
    }

    @Test func `storage is told in all and by podcast; one is deleted, one podcast, and everything`() async throws {
        try await AppFixture.run(naming: .groupAndIdentifier) { app in
            var handles: [DownloadHandle] = []
            for (podcast, episode) in [("Radio", "r-1"), ("Radio", "r-2"), ("Talk", "t-1"), ("News", "n-1")] {
                let bytes = OriginEntity.pattern(1000 + handles.count)
                handles.append(try await app.fetched("/\(episode).mp3", bytes, Self.options(podcast, episode)))
            }
            let storage = try await app.ledger.storage()
            #expect(storage.total == .init(files: 4, bytes: 4006))
            #expect(storage.groups["Radio"] == .init(files: 2, bytes: 2001))
            #expect(storage.groups["Talk"] == .init(files: 1, bytes: 1002))
            #expect(storage.kinds == [.audio: storage.total])

            try await app.ledger.delete(handles[3].id, file: .purge)
            #expect(try app.names(in: "News") == [])
            #expect(try await app.ledger.deleteAll(in: "Radio", file: .purge).done.map(\.identifier) == ["r-1", "r-2"])
            #expect(try app.names(in: "Radio") == [] && app.names(in: "Talk") == ["t-1.mp3"])
            #expect(try await app.ledger.storage().total == .init(files: 1, bytes: 1002))
            #expect(try await app.ledger.delete(.all, file: .purge).done.count == 1)
            #expect(try await app.ledger.storage().total == .init(files: 0, bytes: 0))
            #expect(try await app.ledger.downloads().isEmpty && app.names(in: "Talk") == [])
        }
    }

    @Test func `the loss of the network pauses what runs, and its recovery resumes it where it was`() async throws {
        let isOnline = Atomic(true)
        try await AppFixture.run(configured: .by { $0.policy = { isOnline.load(ordering: .relaxed) ? nil : .offline } })
        {
            app in
            let bytes = OriginEntity.pattern(300_000)
            let handle = try await app.halved("/1.mp3", bytes)
            isOnline.store(false, ordering: .relaxed)
            app.ledger.networkChanged()
            let waiting = try await app.seen(handle.id) { $0.state == .waiting }
            #expect(waiting.received == 150_000 && waiting.error?.message == "there is no network")
            isOnline.store(true, ordering: .relaxed)
            app.ledger.networkChanged()
            #expect(try app.contents(try await handle.value) == bytes)
            #expect(app.origin.requests.map(\.rangeStart) == [nil, 150_000])
        }
    }

    @Test func `the state is whole after a restart, and every download goes on from where it was`() async throws {
        try await AppFixture.run(retries: .never) { first in
            let bytes = OriginEntity.pattern(300_000)
            let done = try await first.fetched("/1.mp3", [1, 2, 3], Self.options("Radio", "ep-1"))
            let none = try await first.ledger.enqueue(try first.url("/none.mp3"))
            _ = try await first.recorded("failed", of: none.id)
            let held = try await first.halved("/2.mp3", bytes, Self.options("Radio", "ep-2"))
            try await first.ledger.pause(held.id)
            let running = try await first.halved("/3.mp3", bytes, Self.options("Radio", "ep-3"))
            let before = try await first.ledger.downloads()
            try await first.restarted { app in
                let after = try await app.ledger.downloads()
                for (one, other) in zip(before, after) where one.id != running.id { #expect(one == other) }
                #expect(after.map(\.id) == [done, none, held, running].map(\.id))
                #expect(try app.contents(try await app.ledger.handle(for: running.id).value) == bytes)
                #expect(app.origin.requests.last { $0.path == "/3.mp3" }?.rangeStart == 150_000)
                #expect(try await app.ledger.download(held.id)?.state == .paused)
                try await app.ledger.resume(held.id)
                #expect(try app.contents(try await app.ledger.handle(for: held.id).value) == bytes)
                #expect(app.origin.requests.last { $0.path == "/2.mp3" }?.rangeStart == 150_000)
            }
        }
    }
}
