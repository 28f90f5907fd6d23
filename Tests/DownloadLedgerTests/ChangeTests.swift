import AppTestSupport
import DownloadLedger
import FoundationEssentials
import LedgerAPI
import LedgerEngine
import LedgerSystem
import LedgerTestSupport
import Observation
import SystemPackage
import Testing

struct ChangeTests {
    @Test func `a screen is told what was added, finished, failed and removed`() async throws {
        try await AppFixture.run(retries: .never) { app in
            app.serve("/a", [1, 2, 3])
            let changes = app.ledger.changes
            func next(_ isMeant: @Sendable (DownloadChange) -> Bool) async -> Bool {
                await changes.contains(where: isMeant)
            }
            let handle = try await app.ledger.enqueue(try app.url("/a"))
            #expect(await next { if case .finished(let download) = $0 { download.id == handle.id } else { false } })
            let none = try await app.ledger.enqueue(try app.url("/none"))
            #expect(await next { if case .failed(let download, _) = $0 { download.id == none.id } else { false } })
            try await app.ledger.delete(handle.id)
            #expect(await next { if case .removed(let download) = $0 { download.id == handle.id } else { false } })
            try await app.ledger.undo()
            #expect(await next { if case .added(let download) = $0 { download.state == .completed } else { false } })
            // A pause that is undone brings nothing back that was not there.
            var later = DownloadOptions()
            later.notBefore = Date(timeIntervalSinceNow: 86_400)
            let waiting = try await app.ledger.enqueue(try app.url("/b"), options: later)
            _ = try await app.ledger.pause(waiting.id)
            #expect(await next { if case .changed(let download) = $0 { download.state == .paused } else { false } })
            try await app.ledger.undo()
            #expect(await next { if case .changed(let download) = $0 { download.id == waiting.id } else { false } })
            await app.ledger.close()
            #expect(await next { _ in true } == false)
        }
    }

    @Test func `an end is told once, and nothing behind it`() async throws {
        try await AppFixture.run(retries: .never) { app in
            let changes = app.ledger.changes
            let requests = try (0..<100).map { DownloadRequest(try app.url("/\($0)")) }
            let ids = Set(try await app.ledger.enqueue(requests).map { try $0.get().id })
            // Each ends at a moment of its own, beside looks at what runs.
            var failed: Set<Download.ID> = []
            for await change in changes {
                switch change {
                case .failed(let download, _): #expect(failed.insert(download.id).inserted)
                case .added(let download), .changed(let download), .progressed(let download):
                    #expect(!failed.contains(download.id))
                case .finished, .removed, .missed: Issue.record("told of \(change)")
                }
                if failed == ids { await app.ledger.close() }
            }
            #expect(failed == ids)
        }
    }

    /// Who lets go of a stream while it is told something holds a lock of its task, which telling wants.
    @Test func `letting go of streams holds up nobody`() async throws {
        try await AppFixture.run(retries: .never) { app in
            let requests = try (0..<100).map { DownloadRequest(try app.url("/\($0)")) }
            let handles = try await app.ledger.enqueue(requests).map { try $0.get() }
            let ended = await withTaskGroup(of: Bool.self) { group in
                for handle in handles {
                    group.addTask {
                        while true {
                            // Nobody is there at the end of this turn: the stream is let go of.
                            var looks = handle.progress.makeAsyncIterator()
                            guard let progress = await looks.next() else { return false }
                            if case .ended = progress.phase { return true }
                        }
                    }
                }
                return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(ended == handles.count)
            await app.ledger.close()
        }
    }

    @Test func `what ended in an earlier life does not end again`() async throws {
        try await AppFixture.run(retries: .never) { first in
            first.serve("/a", [1, 2, 3])
            let (done, none) = (
                try await first.ledger.enqueue(try first.url("/a")), try await first.ledger.enqueue(try first.url("/b"))
            )
            _ = try await done.value
            await #expect(throws: DownloadError.self) { try await none.value }
            try await first.restarted { app in
                let changes = app.ledger.changes
                try await app.ledger.pin(.ids([done.id]))
                try await app.ledger.touch(done.id)
                try await app.ledger.pin(.ids([none.id]))
                try await app.ledger.delete(none.id)
                for await change in changes {
                    switch change {
                    case .changed(let download): #expect(download.isPinned)
                    case .removed(let download): return #expect(download.id == none.id)
                    case .added, .progressed, .finished, .failed, .missed: Issue.record("told of \(change)")
                    }
                }
            }
        }
    }

    @Test func `a stream that nobody reads keeps the newest, and says once that there was more`() async throws {
        try await AppFixture.run(runningMax: 0) { app in
            let changes = app.ledger.changes
            let count = DownloadChange.bufferedMax + 100
            let requests = try (0..<count).map { DownloadRequest(try app.url("/\($0)")) }
            let last = try #require(try await app.ledger.enqueue(requests).last).get()
            await app.ledger.close()
            var kept: [DownloadChange] = []
            for await change in changes { kept.append(change) }
            #expect(kept.count == DownloadChange.bufferedMax && kept.count { $0 == .missed } == 1)
            guard case .added(let download)? = kept.last else {
                Issue.record("the newest is \(String(describing: kept.last))")
                return
            }
            #expect(download.id == last.id)
        }
    }

    @Test func `an auditor reads every event without a gap, those recorded and those to come`() async throws {
        try await AppFixture.run { app in
            app.serve("/a", [1, 2, 3])
            let handle = try await app.ledger.enqueue(try app.url("/a"))
            _ = try await handle.value
            var types: [String] = []
            for try await event in app.ledger.events() {
                #expect(event.sequence == UInt64(types.count + 1) && event.download == handle.id)
                #expect(event.json.hasPrefix("{\"seq\":\(event.sequence),"))
                types.append(event.type)
                if event.type == "completed" { try await app.ledger.delete(handle.id) }
                if event.type == "deleted" { break }
            }
            // A machine that is busy for a second records progress.
            #expect(
                types.filter { $0 != "progressed" } == ["enqueued", "resolved", "verified", "completed", "deleted"])
        }
    }

    @Test func `an auditor who begins before what was compacted away goes on behind it`() async throws {
        try await AppFixture.run { first in
            first.serve("/a", [1, 2, 3])
            let handle = try await first.ledger.enqueue(try first.url("/a"))
            _ = try await handle.value
            await first.ledger.close()
            let log = try await Ledger.open(LedgerHome(first.root.appending("ledger")), world: .system())
            var request = CompactRequest()
            (request.keepEvents, request.drops) = (0, true)
            #expect(try await log.compact(request).eventsDropped == 4)
            await log.close()
            let app = try await first.restarted()
            try await app.ledger.delete(handle.id)
            var types: [String] = []
            for try await event in app.ledger.events() {
                #expect(event.sequence > 4)
                types.append(event.type)
                if event.type == "deleted" { break }
            }
            #expect(types.first == "compacted" && types.last == "deleted")
            await app.ledger.close()
        }
    }

    @Test @MainActor func `a list for screens is observed as it fills`() async throws {
        try await AppFixture.run { app in
            app.serve("/a", [1, 2, 3])
            let list = DownloadList(app.ledger, .downloaded)
            let following = Task { await list.follow() }
            let handle = try await app.ledger.enqueue(try app.url("/a"))
            while list.downloads.isEmpty {
                await withCheckedContinuation { continuation in
                    withObservationTracking {
                        _ = list.downloads
                    } onChange: {
                        continuation.resume()
                    }
                }
                await Task.yield()
            }
            #expect(list.downloads.map(\.id) == [handle.id] && list.error == nil)
            following.cancel()
            await following.value
        }
    }
}
