import AppTestSupport
import DownloadLedger
import FoundationEssentials
import LedgerTestSupport
import Testing

/// System 3, an app with lessons in photography: see Promises.md.
@Suite(.timeLimit(.minutes(30))) struct PhotographyLessonsTests {
    /// Serves the list of lessons as its REST API does, and follows it.
    private func lessons(_ app: AppFixture) async throws -> [Listing.Entry] {
        let lessons = (1...4).map { number in
            """
            {"id": \(number), "name": "Lesson \(number)", "description": "About light, part \(number).",
             "thumbnail": "/pictures/\(number).jpg", "video_url": "/videos/\(number).mp4"}
            """
        }
        app.serve("/lessons", Array("{\"lessons\": [\(lessons.joined(separator: ","))]}".utf8))
        var following = Listing.Following(.catalog)
        following.group = "Photography"
        let listing = try await app.ledger.follow(try app.url("/lessons"), following)
        #expect(listing.error == nil && listing.entryCount == 4)
        return try await app.ledger.entries(of: listing.id)
    }

    @Test func `the list comes from a REST API, is kept, and is shown when offline`() async throws {
        try await AppFixture.run { first in
            let lessons = try await lessons(first)
            #expect(lessons.map(\.title) == (1...4).map { "Lesson \($0)" })
            try await first.origin.stop()
            try await first.restarted { app in
                let listing = try #require(try await app.ledger.listings().first)
                #expect(try await app.ledger.entries(of: listing.id) == lessons)
                // Asked for anew it can not be read, and what it held is still there.
                let refreshed = try await app.ledger.refresh([listing.id])
                #expect(refreshed.map { $0.error?.category } == [.network])
                #expect(try await app.ledger.entries(of: listing.id) == lessons)
            }
        }
    }

    @Test func `a lesson has a picture, a title and a text, and the next one is known`() async throws {
        try await AppFixture.run { app in
            let lessons = try await lessons(app)
            #expect(lessons[1].title == "Lesson 2" && lessons[1].details == "About light, part 2.")
            #expect(lessons[1].thumbnail == (try app.url("/pictures/2.jpg")))
            #expect(lessons[1].url == (try app.url("/videos/2.mp4")))
            #expect(lessons[1].kind == .video)
            #expect(try await app.ledger.next(after: lessons[1])?.title == "Lesson 3")
            #expect(try await app.ledger.next(after: lessons[3]) == nil)
        }
    }

    @Test func `the bar follows the download, and the same button cancels it`() async throws {
        try await AppFixture.run { app in
            let lesson = try await lessons(app)[0]
            let (gate, bytes) = (OriginGate(), OriginEntity.pattern(300_000))
            app.serve("/videos/1.mp4", bytes, holdingAt: gate, after: 150_000)
            /// Downloads what is not on its way, cancels what is.
            func tap() async throws {
                if try await app.ledger.isDownloading(lesson.url) {
                    try await app.ledger.cancel(.where { $0.url == lesson.url })
                } else {
                    _ = try await app.ledger.enqueue(lesson)
                }
            }
            try await tap()
            let id = try #require(try await app.ledger.downloads(from: lesson.url).first?.id)
            var bar: [DownloadProgress] = []
            for await progress in app.ledger.handle(for: id).progress {
                bar.append(progress)
                if progress.fraction == 0.5, case .downloading = progress.phase { try await tap() }
            }
            #expect(bar.contains { $0.fraction == 0.5 } && bar.last?.phase == .ended(.cancelled, nil))
            #expect(try app.names(in: "Photography") == [])
            gate.open()
            try await tap()
            #expect(try app.contents(try await app.ledger.handle(for: id).value) == bytes)
        }
    }

    @Test func `the player takes the local file if it is there, else the remote one`() async throws {
        try await AppFixture.run { app in
            let lessons = try await lessons(app)
            app.serve("/videos/1.mp4", [1, 2, 3])
            let file = try await app.ledger.enqueue(lessons[0]).value
            #expect(try await app.ledger.playbackURL(for: lessons[0].url) == file)
            #expect(try await app.ledger.playbackURL(for: lessons[1].url) == lessons[1].url)
            try app.remove(file)
            #expect(try await app.ledger.playbackURL(for: lessons[0].url) == lessons[0].url)
        }
    }

    @Test func `one runs at a time, the next starts when one ends, and one that still waits is cancelled`()
        async throws
    {
        try await AppFixture.run(runningMax: 1) { app in
            let gates = [OriginGate(), OriginGate()]
            app.serve("/1", [1], holdingAt: gates[0])
            app.serve("/2", [2])
            app.serve("/3", [3], holdingAt: gates[1])
            let handles = try await app.ledger.enqueue(
                try (1...3).map { DownloadRequest(try app.url("/\($0)")) }
            ).map { try $0.get() }
            await gates[0].reached()
            #expect(try await app.counts() == [.running: 1, .queued: 2])
            #expect(try await app.ledger.cancel(handles[1].id).state == .cancelled)
            gates[0].open()
            await gates[1].reached()
            #expect(try await app.counts() == [.completed: 1, .cancelled: 1, .running: 1])
            gates[1].open()
            #expect(try app.contents(try await handles[2].value) == [3])
            #expect(app.requested == ["/1", "/3"])
        }
    }

    @Test func `deleting removes file and record, and stops one that runs`() async throws {
        try await AppFixture.run { app in
            let done = try await app.fetched("/1.mp4", [1, 2, 3])
            let running = try await app.halved("/2.mp4", OriginEntity.pattern(300_000))
            #expect(try app.names().count == 2)
            try await app.ledger.delete(.ids([done.id, running.id]), file: .purge)
            #expect(try app.names() == [])
            #expect(try await app.ledger.downloads().isEmpty)
            #expect(try await app.ledger.storage().total == .init(files: 0, bytes: 0))
            let error = await failure { () throws(DownloadError) in try await running.value }
            #expect(error?.code == "deleted")
        }
    }

    @Test func `work that still waits at launch is taken up`() async throws {
        try await AppFixture.run(runningMax: 1) { first in
            let bytes = OriginEntity.pattern(300_000)
            let running = try await first.halved("/1.mp4", bytes)
            first.serve("/2.mp4", [2])
            first.serve("/3.mp4", [3])
            let waiting = try await first.ledger.enqueue([
                DownloadRequest(try first.url("/2.mp4")), DownloadRequest(try first.url("/3.mp4")),
            ]).map { try $0.get() }
            #expect(try await first.counts() == [.running: 1, .queued: 2])
            try await first.restarted { app in
                for (id, expected) in zip([running.id] + waiting.map(\.id), [bytes, [2], [3]]) {
                    let file = try await app.ledger.handle(for: id).value
                    #expect(try app.contents(file) == expected)
                }
                #expect(app.requested == ["/1.mp4", "/1.mp4", "/2.mp4", "/3.mp4"])
            }
        }
    }

    @Test func `several run at once when it is configured so`() async throws {
        try await AppFixture.run(runningMax: 2) { app in
            let gates = [OriginGate(), OriginGate()]
            for (place, gate) in gates.enumerated() { app.serve("/\(place)", [1], holdingAt: gate) }
            let handles = try await app.ledger.enqueue(
                try (0...1).map { DownloadRequest(try app.url("/\($0)")) }
            ).map { try $0.get() }
            for gate in gates { await gate.reached() }
            #expect(try await app.counts() == [.running: 2])
            for gate in gates { gate.open() }
            for handle in handles { _ = try await handle.value }
        }
    }

    @Test func `downloads go on in the background, whether anyone looks on or not`() async throws {
        try await AppFixture.run { app in
            let gate = OriginGate()
            app.serve("/1.mp4", OriginEntity.pattern(300_000), holdingAt: gate, after: 150_000)
            let id = try await app.ledger.enqueue(try app.url("/1.mp4")).id
            // The handle is gone, and who waited for it does no longer.
            let waiting = Task { try await app.ledger.handle(for: id).value }
            await gate.reached()
            waiting.cancel()
            #expect(await waiting.result.failureCode == "interrupted")
            gate.open()
            _ = try await app.recorded("completed", of: id)
            #expect(try await app.ledger.download(id)?.state == .completed)
        }
    }
}

extension Result<URL, any Error> {
    /// The word for why it failed; nil when it did not.
    fileprivate var failureCode: String? {
        if case .failure(let error as DownloadError) = self { error.code } else { nil }
    }
}
