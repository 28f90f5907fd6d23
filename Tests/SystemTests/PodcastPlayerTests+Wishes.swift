import AppTestSupport
import DownloadLedger
import FoundationEssentials
import LedgerTestSupport
import Synchronization
import Testing

// What the podcast player wishes for.
extension PodcastPlayerTests {
    @Test func `the least recently played episode makes room, and a pinned one never does`() async throws {
        let clock = AppFixture.clock()
        try await AppFixture.run(in: AppFixture.world(clock)) { app in
            var handles: [DownloadHandle] = []
            for episode in 1...4 {
                let options = Self.options("Radio", "ep-\(episode)")
                handles.append(try await app.fetched("/\(episode).mp3", OriginEntity.pattern(1000), options))
                clock.advance(by: .seconds(600))
            }
            // The first was played last, the second is never to go: the third is the least recently used.
            let file = try await handles[0].value
            #expect(try await app.ledger.playbackURL(for: try app.url("/1.mp3")) == file)
            try await app.ledger.pin(.ids([handles[1].id]))
            let last = try await app.recorded("pinned", of: handles[1].id).sequence
            try await app.ledger.keep(bytesMax: 3000, in: "Radio")
            #expect(try await app.recorded("deleted", after: last).download == handles[2].id)
            try await app.ledger.keep(bytesMax: 1500, in: "Radio")
            #expect(try await app.counts() == [.completed: 1])
            #expect(try await app.ledger.downloads().map(\.id) == [handles[1].id])
            for name in ["1.mp3", "3.mp3", "4.mp3"] { try await app.untilGone(name) }
            #expect(try app.names() == ["2.mp3"])
        }
    }

    @Test func `what waits is put in another order, and the queue shows it`() async throws {
        try await AppFixture.run(runningMax: 1) { app in
            let gate = OriginGate()
            app.serve("/0", [0], holdingAt: gate)
            let running = try await app.ledger.enqueue(try app.url("/0"))
            await gate.reached()
            for path in ["/1", "/2", "/3", "/4"] { app.serve(path, [1]) }
            let handles = try await app.ledger.enqueue(
                try (1...4).map { DownloadRequest(try app.url("/\($0)")) }
            ).map { try $0.get() }
            func queue() async throws -> [Int?] {
                try await app.ledger.downloads(.queue).map { download in
                    handles.firstIndex { $0.id == download.id }.map { $0 + 1 } ?? 0
                }
            }
            #expect(try await queue() == [0, 1, 2, 3, 4])
            try await app.ledger.move(running.id, to: .first)
            try await app.ledger.move(handles[0].id, to: .last)
            #expect(try await queue() == [0, 2, 3, 4, 1])
            try await app.ledger.move(handles[3].id, to: .index(2))
            #expect(try await queue() == [0, 4, 2, 3, 1])
            try await app.ledger.move(handles[2].id, to: .priority(1))
            #expect(try await queue() == [3, 0, 4, 2, 1])
            gate.open()
            for handle in handles { _ = try await handle.value }
            #expect(app.requested == ["/0", "/3", "/4", "/2", "/1"])
        }
    }

    @Test func `a limit of bandwidth holds back the episode it is for, and no other`() async throws {
        let clock = AppFixture.clock()
        try await AppFixture.run(in: AppFixture.world(clock)) { app in
            let (bytes, more) = (OriginEntity.pattern(3 << 20), OriginEntity.pattern(6 << 20, seed: 2))
            app.serve("/slow.mp3", bytes)
            var limited = DownloadOptions()
            limited.bytesPerSecondMax = 1000
            let slow = try await app.ledger.enqueue(try app.url("/slow.mp3"), options: limited)
            _ = try await app.seen(slow.id) { $0.received > 0 }
            // Time stands still: what is over the limit comes when it goes on, and never before.
            try await app.fetched("/fast.mp3", more)
            let held = try #require(try await app.ledger.download(slow.id))
            #expect(held.state == .running && held.received < 3 << 20)
            let file = try await clock.passes(every: .seconds(600)) { try await slow.value }
            #expect(try app.contents(file) == bytes)
        }
    }

    @Test func `a limit of bandwidth for all holds back all`() async throws {
        let clock = AppFixture.clock()
        try await AppFixture.run(in: AppFixture.world(clock), configured: .by { $0.bytesPerSecondMax = 1000 }) { app in
            let bytes = OriginEntity.pattern(3 << 20)
            for path in ["/1.mp3", "/2.mp3"] { app.serve(path, bytes) }
            let first = try await app.ledger.enqueue(try app.url("/1.mp3"))
            let before = try await app.seen(first.id) { $0.received > 0 }
            let second = try await app.ledger.enqueue(try app.url("/2.mp3"))
            let after = try await app.seen(second.id) { $0.received > 0 }
            #expect(before.received < 3 << 20 && after.received < 3 << 20)
            for handle in [first, second] {
                let file = try await clock.passes(every: .seconds(600)) { try await handle.value }
                #expect(try app.contents(file) == bytes)
            }
        }
    }

    @Test func `a limit of bandwidth is lifted while it holds`() async throws {
        let clock = AppFixture.clock()
        try await AppFixture.run(in: AppFixture.world(clock), configured: .by { $0.bytesPerSecondMax = 10 }) { app in
            let bytes = OriginEntity.pattern(3 << 20)
            app.serve("/1.mp3", bytes)
            let handle = try await app.ledger.enqueue(try app.url("/1.mp3"))
            let held = try await app.seen(handle.id) { $0.received > 0 }
            #expect(held.received < 3 << 20)
            try await app.ledger.limit(bytesPerSecondMax: 0)
            let begin = clock.uptime()
            let file = try await clock.passes(every: .milliseconds(100)) { try await handle.value }
            #expect(try app.contents(file) == bytes)
            // At the old rate it would have taken more than three days. On a busy machine the clock passes many times
            // while one read is done.
            #expect(clock.uptime() - begin < .seconds(86_400))
        }
    }

    @Test func `a transfer that goes on where it was is shown as resuming`() async throws {
        try await AppFixture.run { app in
            let (bytes, gate) = (OriginEntity.pattern(300_000), OriginGate())
            let handle = try await app.halved("/1.mp3", bytes)
            #expect(try await app.ledger.download(handle.id)?.resumedFrom == 0)
            try await app.ledger.pause(handle.id)
            app.serve("/1.mp3", bytes, holdingAt: gate)
            try await app.ledger.resume(handle.id)
            let shown = try await app.seen(handle.id) { $0.resumedFrom == 150_000 }
            #expect(DownloadProgress(shown).phase == .downloading(resumedFrom: 150_000) && shown.received == 150_000)
            gate.open()
            #expect(try app.contents(try await handle.value) == bytes)
        }
    }

    @Test func `rates of success and failure can be told from the list`() async throws {
        try await AppFixture.run(retries: .fixed([.zero])) { app in
            for episode in 1...3 { try await app.fetched("/\(episode).mp3", [1, 2, 3]) }
            app.origin.on("/4.mp3") { _ in OriginReply(500) }
            let failing = try await app.ledger.enqueue(try app.url("/4.mp3"))
            #expect(await failure { () throws(DownloadError) in try await failing.value }?.category == .status)
            #expect(try await app.counts() == [.completed: 3, .failed: 1])
            #expect(try await app.ledger.downloads().map(\.attempts) == [1, 1, 1, 2])
        }
    }

    @Test func `a downloads screen has the size of the queue and the time left`() async throws {
        let clock = AppFixture.clock()
        try await AppFixture.run(runningMax: 1, in: AppFixture.world(clock)) { app in
            let gate = OriginGate()
            app.serve("/1.mp3", OriginEntity.pattern(400_000), holdingAt: gate, after: 100_000)
            app.serve("/2.mp3", [1])
            let running = try await app.ledger.enqueue(try app.url("/1.mp3"))
            let queued = try await app.ledger.enqueue(try app.url("/2.mp3"))
            _ = try await app.seen(running.id) { $0.received == 100_000 }
            #expect(try await app.ledger.downloads(.queue).map(\.id) == [running.id, queued.id])
            var seconds: UInt64 = 0
            var shown = try #require(try await app.ledger.download(running.id))
            while shown.bytesPerSecond == nil {
                clock.advance(by: .seconds(1))
                seconds += 1
                await Task.yield()
                shown = try #require(try await app.ledger.download(running.id))
            }
            // 100,000 bytes came within the seconds up to the measurement, and three times as many are to come.
            let rate = try #require(shown.bytesPerSecond)
            #expect((1...seconds).contains { 100_000 / $0 == rate })
            #expect(DownloadProgress(shown).timeLeft == .seconds(300_000 / Double(rate)))
            #expect(DownloadProgress(try #require(try await app.ledger.download(queued.id))).timeLeft == nil)
            gate.open()
            for handle in [running, queued] { _ = try await handle.value }
            #expect(try await app.ledger.downloads(.queue).isEmpty)
        }
    }
}
