import AppTestSupport
import DownloadLedger
import FoundationEssentials
import LedgerTestSupport
import Synchronization
import Testing

/// System 2, the download engine of a podcast player: see Promises.md.
@Suite(.timeLimit(.minutes(30))) struct PodcastPlayerTests {
    /// An episode as the player enqueues it.
    static func options(_ podcast: String, _ episode: String) -> DownloadOptions {
        DownloadOptions(group: podcast, title: "Episode \(episode)", identifier: episode)
    }

    @Test func `a transfer is real, and its file stands at podcast and episode`() async throws {
        try await AppFixture.run(naming: .groupAndIdentifier) { app in
            let bytes = OriginEntity.pattern(200_000)
            let handle = try await app.fetched("/e/1.mp3", bytes, Self.options("Night Radio", "ep-1"))
            let file = try await handle.value
            #expect(file.path(percentEncoded: false) == app.path("files/Night Radio/ep-1.mp3"))
            #expect(try app.contents(file) == bytes && app.requested == ["/e/1.mp3"])
        }
    }

    @Test func `a failed episode is tried again after 5, 15 and 60 seconds, and then it has failed`() async throws {
        let clock = AppFixture.clock()
        try await AppFixture.run(
            retries: .fixed([.seconds(5), .seconds(15), .seconds(60)]), in: AppFixture.world(clock)
        ) { app in
            let asked = Mutex<[Duration]>([])
            app.origin.on("/1.mp3") { _ in
                asked.withLock { $0.append(clock.uptime()) }
                return OriginReply(503)
            }
            let handle = try await app.ledger.enqueue(try app.url("/1.mp3"))
            var last: UInt64 = 0
            for (tried, wait) in [5.0, 15, 60].enumerated() {
                let failed = try await app.recorded("failed", of: handle.id, after: last)
                last = failed.sequence
                let waiting = try #require(try await app.ledger.download(handle.id))
                #expect(waiting.state == .waiting && waiting.error?.category == .status)
                // The attempt may have ended a step of the clock before that went on record.
                let retryAt = try #require(waiting.retryAt)
                #expect((wait - 0.101...wait).contains(retryAt.timeIntervalSince(failed.time)))
                clock.advance(by: .seconds(wait - 1))
                #expect(try await app.ledger.download(handle.id)?.state == .waiting)
                #expect(app.requested.count == tried + 1)
                // The origin notes a request before it answers one.
                await clock.goesOn { asked.withLock { $0.count } > tried + 1 }
                let askedAt = asked.withLock { $0.last.map { AppFixture.begin + $0 / .seconds(1) } }
                #expect(try #require(askedAt) >= retryAt)
            }
            _ = try await app.recorded("failed", of: handle.id, after: last)
            let end = try #require(try await app.ledger.download(handle.id))
            #expect(end.state == .failed && end.retryAt == nil && end.attempts == 4)
            #expect(end.error?.message.contains("503") ?? false && app.requested.count == 4)
        }
    }

    @Test func `three run at once, and the next is taken when one ends`() async throws {
        try await AppFixture.run(runningMax: 3) { app in
            let gates = (0..<5).map { _ in OriginGate() }
            for (place, gate) in gates.enumerated() {
                app.serve("/\(place)", OriginEntity.pattern(1000), holdingAt: gate, after: 500)
            }
            let requests = try (0..<5).map { DownloadRequest(try app.url("/\($0)")) }
            let handles = try await app.ledger.enqueue(requests).map { try $0.get() }
            for gate in gates[..<3] { await gate.reached() }
            #expect(try await app.counts() == [.running: 3, .queued: 2])
            gates[1].open()
            await gates[3].reached()
            _ = try await handles[1].value
            #expect(try await app.counts() == [.completed: 1, .running: 3, .queued: 1])
            for gate in gates { gate.open() }
            for handle in handles { _ = try await handle.value }
            #expect(Set(app.requested.prefix(3)) == ["/0", "/1", "/2"])
            #expect(Array(app.requested.suffix(2)) == ["/3", "/4"])
        }
    }

    @Test func `disk space is looked at before, and an episode waits until there is room for it`() async throws {
        let (disk, clock) = (SimulatedDisk(), AppFixture.clock())
        try await AppFixture.run(in: AppFixture.world(clock, disk)) { app in
            let bytes = OriginEntity.pattern(4 << 20)
            app.serve("/1.mp3", bytes)
            disk.bytesMax = disk.bytesTaken + 2 << 20
            let handle = try await app.ledger.enqueue(try app.url("/1.mp3"))
            _ = try await app.recorded("failed", of: handle.id)
            let waiting = try #require(try await app.ledger.download(handle.id))
            #expect(waiting.state == .waiting && waiting.error?.code == "disk-full")
            #expect(waiting.error?.category == .fileSystem && waiting.received == 0)
            // For an hour there is no room, and nobody is asked for what could not be kept.
            for _ in 0..<60 { clock.advance(by: .seconds(60)) }
            #expect(try await app.ledger.download(handle.id)?.received == 0 && app.requested.count == 1)
            disk.bytesMax = nil
            await clock.goesOn { app.requested.count > 1 }
            let file = try await handle.value
            #expect(try app.contents(file) == bytes && app.requested.count == 2)
        }
    }

    @Test func `an interrupted episode is resumed where it was cut`() async throws {
        try await AppFixture.run(retries: .fixed([.zero])) { app in
            let bytes = OriginEntity.pattern(300_000)
            app.origin.script(
                "/1.mp3",
                [
                    { OriginEntity(bytes).reply(to: $0).cut(after: 150_000, .reset) },
                    { OriginEntity(bytes).reply(to: $0) },
                ])
            let file = try await app.ledger.enqueue(try app.url("/1.mp3")).value
            #expect(try app.contents(file) == bytes)
            let starts = app.origin.requests.map(\.rangeStart)
            #expect(starts.count == 2 && (starts.last.flatMap(\.self) ?? 0) > 0)
        }
    }

    @Test func `cancelling stops the transfer and removes what came of it`() async throws {
        try await AppFixture.run { app in
            let handle = try await app.halved("/1.mp3", OriginEntity.pattern(300_000))
            #expect(try app.names().count == 1)
            #expect(try await app.ledger.cancel(handle.id).state == .cancelled)
            let error = await failure { () throws(DownloadError) in try await handle.value }
            #expect(error?.code == "cancelled" && error?.category == .givenUp)
            #expect(try app.names() == [])
        }
    }

    @Test func `progress is published to whoever looks on`() async throws {
        try await AppFixture.run { app in
            let gate = OriginGate()
            app.serve("/1.mp3", OriginEntity.pattern(300_000), holdingAt: gate, after: 150_000)
            let changes = app.ledger.changes
            let handle = try await app.ledger.enqueue(try app.url("/1.mp3"))
            var published: [UInt64] = []
            for await change in changes {
                switch change {
                case .progressed(let download), .changed(let download):
                    published.append(download.received)
                    if download.received == 150_000 { gate.open() }
                case .finished(let download):
                    #expect(download.id == handle.id && download.received == 300_000)
                default: continue
                }
                if case .finished = change { break }
            }
            #expect(published.contains(150_000) && published == published.sorted())
        }
    }

    @Test func `the file of an episode is found and preferred to the stream, without a request, offline too`()
        async throws
    {
        try await AppFixture.run { app in
            let handle = try await app.fetched("/1.mp3", OriginEntity.pattern(1000), Self.options("Radio", "ep-1"))
            let (file, url, other) = (try await handle.value, try app.url("/1.mp3"), try app.url("/2.mp3"))
            let requests = app.requested.count
            #expect(try await app.ledger.playbackURL(for: url) == file)
            #expect(try await app.ledger.playbackURL(for: other) == other)
            let episode = try await app.ledger.downloads().first { $0.group == "Radio" && $0.identifier == "ep-1" }
            #expect(episode?.localURL == file)
            try await app.origin.stop()
            #expect(try await app.ledger.playbackURL(for: url) == file)
            #expect(try app.contents(file) == OriginEntity.pattern(1000) && app.requested.count == requests)
        }
    }
}
