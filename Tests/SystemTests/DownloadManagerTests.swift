import AppTestSupport
import DownloadLedger
import FoundationEssentials
import LedgerTestSupport
import Synchronization
import Testing

/// System 5, a package that manages downloads: see Promises.md.
@Suite(.timeLimit(.minutes(30))) struct DownloadManagerTests {
    @Test func `a download is added with a URL, a destination, and handlers of progress and completion`() async throws {
        try await AppFixture.run { app in
            let (bytes, gate) = (OriginEntity.pattern(300_000), OriginGate())
            app.serve("/a.zip", bytes, holdingAt: gate, after: 150_000)
            let place = URL(filePath: app.path("Documents/mine.zip"))
            let (calls, call) = AsyncStream.makeStream(of: (DownloadProgress?, Result<URL, DownloadError>?).self)
            let id = await app.ledger.add(
                url: try app.url("/a.zip"), destination: place, onProgress: { call.yield(($0, nil)) },
                onCompletion: { call.yield((nil, $0)) })
            #expect(id != nil)
            var fractions: [Double] = []
            for await (progress, result) in calls {
                if let fraction = progress?.fraction { fractions.append(fraction) }
                if progress?.received == 150_000 { gate.open() }
                guard let result else { continue }
                #expect(try result.get().path(percentEncoded: false) == place.path(percentEncoded: false))
                break
            }
            #expect(fractions.contains(0.5) && fractions.last == 1)
            #expect(try app.contents(place) == bytes)
        }
    }

    @Test func `without a destination the file goes to a place of the ledger's own`() async throws {
        try await AppFixture.run(configured: .by { $0.directory = nil }) { app in
            let file = try await app.fetched("/a.zip", [1, 2, 3]).value
            #expect(file.path(percentEncoded: false) == app.path("ledger/downloads/a.zip"))
            #expect(try app.contents(file) == [1, 2, 3])
        }
    }

    @Test(.timeLimit(.minutes(30)))
    func `one is cancelled by its URL, and then all are`() async throws {
        try await AppFixture.run { app in
            let gates = (0..<4).map { _ in OriginGate() }
            var handles: [DownloadHandle] = []
            for (place, gate) in gates.enumerated() {
                app.serve("/\(place)", OriginEntity.pattern(1000), holdingAt: gate, after: 500)
                handles.append(try await app.ledger.enqueue(try app.url("/\(place)")))
                await gate.reached()
            }
            let url = try app.url("/1")
            #expect(try await app.ledger.cancel(.where { $0.url == url }).done.map(\.id) == [handles[1].id])
            #expect(try await app.counts() == [.running: 3, .cancelled: 1])
            gates[0].open()
            let file = try await handles[0].value
            #expect(try await app.ledger.cancel(.all).done.map(\.id) == [handles[2].id, handles[3].id])
            #expect(try await app.counts() == [.completed: 1, .cancelled: 3])
            // A worker that is stopped lets go of its part a moment later.
            while try app.names() != [file.lastPathComponent] { await Task.yield() }
            for gate in gates { gate.open() }
        }
    }

    @Test func `the number of retries is configured, and that of one download`() async throws {
        try await AppFixture.run(retries: .fixed([.zero, .zero])) { app in
            for path in ["/usual", "/own"] { app.origin.on(path) { _ in OriginReply(503) } }
            var options = DownloadOptions()
            options.retriesMax = 0
            let usual = try await app.ledger.enqueue(try app.url("/usual"))
            let own = try await app.ledger.enqueue(try app.url("/own"), options: options)
            for handle in [usual, own] {
                #expect(await failure { () throws(DownloadError) in try await handle.value }?.category == .status)
            }
            #expect(app.requested.filter { $0 == "/usual" }.count == 3)
            #expect(app.requested.filter { $0 == "/own" }.count == 1)
        }
    }

    @Test func `the backoff grows by its multiplier, up to its cap`() async throws {
        let clock = AppFixture.clock()
        // Numbers that are all but the highest: by chance every wait is as long as it may be.
        let drawn = Atomic(UInt64.max)
        let world = AppFixture.world(clock, random: { drawn.wrappingSubtract(1, ordering: .relaxed).newValue })
        let retries = LedgerConfiguration.Retries.exponential(
            base: .seconds(2), factor: 3, cap: .seconds(30), count: 4)
        try await AppFixture.run(retries: retries, in: world) { app in
            app.origin.on("/a") { _ in OriginReply(503) }
            let handle = try await app.ledger.enqueue(try app.url("/a"))
            var last: UInt64 = 0
            for (tried, wait) in [2, 6, 18, 30].enumerated() {
                let failed = try await app.recorded("failed", of: handle.id, after: last)
                last = failed.sequence
                let retryAt = try #require(try await app.ledger.download(handle.id)?.retryAt)
                // The attempt may have ended a step of the clock before that went on record.
                let pause = Double(wait)
                #expect((pause - 0.111...pause).contains(retryAt.timeIntervalSince(failed.time)))
                clock.advance(by: .seconds(wait))
                await clock.goesOn { app.requested.count > tried + 1 }
            }
            _ = try await app.recorded("failed", of: handle.id, after: last)
            #expect(try await app.ledger.download(handle.id)?.state == .failed && app.requested.count == 5)
        }
    }

    @Test func `the user agent is configured, and that of one download`() async throws {
        try await AppFixture.run(configured: .by { $0.userAgent = "Lessons/2.1" }) { app in
            try await app.fetched("/a", [1])
            var options = DownloadOptions()
            options.userAgent = "Other/1"
            try await app.fetched("/b", [2], options)
            #expect(app.origin.requests.map { $0["user-agent"] } == ["Lessons/2.1", "Other/1"])
        }
    }

    @Test func `who listens is notified of added, progress, finished with its place, and removed`() async throws {
        try await AppFixture.run { app in
            let gate = OriginGate()
            app.serve("/a.zip", OriginEntity.pattern(300_000), holdingAt: gate, after: 150_000)
            let (heard, deaf) = (app.ledger.changes, app.ledger.changes)
            let handle = try await app.ledger.enqueue(try app.url("/a.zip"))
            var notes: [String] = []
            for await change in heard {
                var note: String?
                switch change {
                case .added(let download): note = "added \(download.name)"
                case .progressed(let download), .changed(let download):
                    if download.received == 150_000 { gate.open() }
                    if download.received == 150_000 { note = "half of \(download.name)" }
                case .finished(let download):
                    note = "finished \(download.fileURL.path(percentEncoded: false))"
                    try await app.ledger.delete(handle.id)
                case .removed(let download): note = "removed \(download.name)"
                case .failed, .missed: note = "\(change)"
                }
                if let note, notes.last != note { notes.append(note) }
                if case .removed = change { break }
            }
            let place = app.path("files/a.zip")
            #expect(notes == ["added a.zip", "half of a.zip", "finished \(place)", "removed a.zip"])
            // Who has no use for notifications does not read them, and nothing waits for that.
            withExtendedLifetime(deaf) {}
        }
    }

    @Test func `a failure is notified once, after all retries`() async throws {
        try await AppFixture.run(retries: .fixed([.zero, .zero])) { app in
            app.origin.on("/a") { _ in OriginReply(503) }
            let changes = app.ledger.changes
            _ = try await app.ledger.enqueue(try app.url("/a"))
            var failures: [Int] = []
            for await change in changes {
                if case .failed(let download, let error) = change {
                    failures.append(download.attempts)
                    #expect(error.category == .status)
                    // What comes behind it would be told by now.
                    await app.ledger.close()
                }
            }
            #expect(failures == [3] && app.requested.count == 3)
        }
    }

    @Test func `downloads are kept between launches, and carried on`() async throws {
        try await AppFixture.run { first in
            let bytes = OriginEntity.pattern(300_000)
            let (url, place) = (try first.url("/a.zip"), URL(filePath: first.path("Documents/mine.zip")))
            first.origin.script(
                "/a.zip",
                [
                    { OriginEntity(bytes).reply(to: $0).cut(after: 150_000, .stall) },
                    { OriginEntity(bytes).reply(to: $0) },
                ])
            let handle = try await first.ledger.enqueue(url, to: place)
            _ = try await first.recorded("progressed", of: handle.id)
            try await first.restarted { app in
                // Who asks again at launch joins what goes on already.
                let again = try await app.ledger.enqueue(url, to: place)
                #expect(again.isJoined && again.id == handle.id)
                #expect(try await again.value.path(percentEncoded: false) == place.path(percentEncoded: false))
                #expect(try app.contents(place) == bytes)
                #expect(app.origin.requests.map { $0.rangeStart ?? 0 } == [0, 150_000])
            }
        }
    }
}
