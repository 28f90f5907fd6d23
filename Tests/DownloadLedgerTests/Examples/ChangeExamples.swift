import AppTestSupport
import DownloadLedger
import FoundationEssentials
import LedgerTestSupport
import Testing

/// The examples of what an app is told as it happens, and of the log.
struct ChangeExamples {
    private let stage = Stage()

    private func show(_ download: Download) { stage.show(download.name + " " + download.state.rawValue) }
    private func hide(_ download: Download) { stage.show("hides " + download.name) }
    private func notify(_ line: String) { stage.show(line) }
    private func reload() { stage.show("reloads") }

    @Test func `one change is waited for`() async throws {
        try await AppFixture.run { app in
            app.serve("/a", [1, 2, 3])
            let (ledger, url) = (app.ledger, try app.url("/a"))
            let changes = ledger.changes
            let handle = try await ledger.enqueue(url)
            for await case .finished(let download) in changes {
                notify("\(download.name) is here")
                break
            }
            #expect(stage.lines == ["a is here"])
            #expect(try await handle.value.lastPathComponent == "a")
        }
    }

    @Test func `a screen is told everything`() async throws {
        try await AppFixture.run(retries: .never) { app in
            app.serve("/a", [1, 2, 3])
            let (ledger, stage) = (app.ledger, stage)
            let changes = ledger.changes
            let handle = try await ledger.enqueue(try app.url("/a"))
            _ = try await handle.value
            let other = try await ledger.enqueue(try app.url("/none"))
            for await _ in other.progress {}
            try await ledger.delete(handle.id)
            await ledger.close()
            for await change in changes {
                switch change {
                case .added(let download), .changed(let download), .progressed(let download): show(download)
                case .finished(let download): notify("\(download.name) is here")
                case .failed(let download, let error): notify("\(download.name): \(error.message)")
                case .removed(let download): hide(download)
                case .missed: reload()
                }
            }
            #expect(stage.lines.contains("a is here") && stage.lines.contains("hides a"))
            #expect(stage.lines.contains { $0.hasPrefix("none: ") })
        }
    }

    @Test func `the log is read`() async throws {
        try await AppFixture.run { app in
            app.serve("/a", [1, 2, 3])
            let ledger = app.ledger
            _ = try await ledger.enqueue(try app.url("/a")).value
            let (lines, written) = AsyncStream.makeStream(of: String.self)
            @Sendable func audit(_ line: String) { written.yield(line) }
            let everything = Task {
                var lastSeen: UInt64 = 0
                for try await event in ledger.events(after: lastSeen) {
                    audit(event.json)
                    lastSeen = event.sequence
                }
                return lastSeen
            }
            #expect(await lines.contains { $0.hasPrefix("{\"seq\":4,") && $0.contains("completed") })
            everything.cancel()
            #expect(try await everything.value == 4)
            let completions = Task {
                let lastSeen: UInt64 = 2
                for try await event in ledger.events(after: lastSeen) where event.type == "completed" {
                    audit("\(event.sequence) \(event.time): download \(event.download?.description ?? "-")")
                }
            }
            #expect(await lines.contains { $0.hasPrefix("4 ") && $0.hasSuffix(": download 1") })
            completions.cancel()
            try await completions.value
        }
    }

    @Test @MainActor func `a list for a screen`() async throws {
        try await AppFixture.run { app in
            app.serve("/a", [1, 2, 3])
            let ledger = app.ledger
            let list = DownloadList(ledger, .queue)
            let following = Task { await list.follow() }
            _ = try await ledger.enqueue(try app.url("/a")).value
            list.query = .downloaded
            await list.reload()
            #expect(list.downloads.map(\.name) == ["a"] && list.error == nil)
            following.cancel()
            await following.value
        }
    }
}
