import AppTestSupport
import DownloadLedger
import FoundationEssentials
import LedgerTestSupport
import Testing

/// The examples of what can be done to downloads.
struct ActingExamples {
    private let stage = Stage()

    private func show(_ line: String) { stage.show(line) }

    /// Three downloads that wait, two of them in a group.
    private func enqueue(_ app: AppFixture) async throws -> [DownloadHandle] {
        let requests = try ["/first", "/second", "/third"].map { path in
            DownloadRequest(
                try app.url(path), options: DownloadOptions(group: path == "/third" ? "radio" : "course"))
        }
        return try await app.ledger.enqueue(requests).map { try $0.get() }
    }

    private func states(_ handles: [DownloadHandle], _ ledger: DownloadLedger) async throws -> [Download.State?] {
        var states: [Download.State?] = []
        for handle in handles { states.append(try await ledger.download(handle.id)?.state) }
        return states
    }

    @Test func `many are paused, resumed, moved and given up`() async throws {
        try await AppFixture.run(runningMax: 0) { app in
            let ledger = app.ledger
            let handles = try await enqueue(app)
            let (first, second) = (handles[0].id, handles[1].id)
            try await ledger.pause(.all)
            try await ledger.resume(.where { $0.group == "course" })
            #expect(try await states(handles, ledger) == [.queued, .queued, .paused])
            try await ledger.move(.ids([second]), to: .first)
            try await ledger.move(.where { $0.group == "course" }, to: .priority(10))
            #expect(try await ledger.download(second)?.priority == 10)
            let outcomes = try await ledger.cancel(.ids([first, second]))
            for (id, error) in outcomes.refused { show("\(id): \(error.message)") }
            #expect(outcomes.done.count == 2 && stage.lines.isEmpty)
            try await ledger.deleteAll(in: "course")
            #expect(try await states(handles, ledger) == [.deleted, .deleted, .paused])
        }
    }

    @Test func `what failed is tried again`() async throws {
        try await AppFixture.run(retries: .never) { app in
            let ledger = app.ledger
            let handles = try await enqueue(app)
            for handle in handles { for await _ in handle.progress {} }
            try await ledger.retry(.where { $0.state == .failed && $0.error?.category == .network })
            #expect(try await states(handles, ledger) == [.failed, .failed, .failed])
            let failed = handles.map(\.id)
            let outcomes = try await ledger.retry(.ids(failed))
            show("\(outcomes.done.count) begun again, \(outcomes.refused.count) refused")
            #expect(stage.lines == ["3 begun again, 0 refused"])
            for handle in handles { for await _ in handle.progress {} }
            let download = try #require(try await ledger.download(failed[0]))
            if download.error?.isRetryable ?? false { try await ledger.retry(download.id) }
            #expect(download.error?.code == "status")
        }
    }

    @Test func `one is paused, resumed, moved and removed`() async throws {
        try await AppFixture.run(runningMax: 0) { app in
            let ledger = app.ledger
            let handles = try await enqueue(app)
            let handle = handles[0]
            do {
                try await ledger.pause(handle.id)
                let download = try await ledger.resume(handle.id)
                #expect(download.state == .queued)
                try await ledger.move(handle.id, to: .index(2))
                try await ledger.move(handle.id, to: .priority(download.priority + 1))
                #expect(try await ledger.download(handle.id)?.priority == 1)
            }
            try await ledger.delete(handle.id, file: .keep)
            #expect(try await states(handles, ledger) == [.deleted, .queued, .queued])
        }
    }

    @Test func `what is deleted is brought back`() async throws {
        try await AppFixture.run { app in
            for path in ["/first", "/second", "/third"] { app.serve(path, OriginEntity.pattern(1000)) }
            let ledger = app.ledger
            let handles = try await enqueue(app)
            for handle in handles { _ = try await handle.value }
            let handle = handles[0]
            let file = try await handle.value
            try await ledger.delete(handles[1].id)
            try await ledger.delete(handle.id)
            try await ledger.undo()
            #expect(try app.contents(file)?.count == 1000)
            try await ledger.undo()
            #expect(try await states(handles, ledger) == [.completed, .completed, .completed])
            await #expect(throws: DownloadError.self) { try await ledger.undo() }
        }
    }

    @Test func `what is chosen by a condition or a query is removed`() async throws {
        try await AppFixture.run { app in
            let ledger = app.ledger
            let (first, last) = (try app.url("/first"), try app.url("/last"))
            app.serve("/first", [1, 2, 3])
            app.serve("/last", [1, 2, 3])
            var options = DownloadOptions(group: "radio")
            options.tags = ["seen"]
            let handle = try await ledger.enqueue(first, options: options)
            _ = try await handle.value
            try await ledger.delete(.where { $0.tags.contains("seen") }, file: .purge)
            #expect(try await ledger.download(handle.id)?.state == .deleted)
            let other = try await ledger.enqueue(last)
            let file = try await other.value
            let lastYear = Date().addingTimeInterval(-366 * 86_400)
            try await ledger.pause(.all)
            try await ledger.delete(.where { $0.group == "radio" && $0.addedAt < lastYear })
            try await ledger.cancel(.matching(.queue))
            #expect(try await ledger.download(other.id)?.state == .completed)
            try await ledger.delete(.matching(.downloaded), file: .purge)
            #expect(try app.contents(file) == nil)
        }
    }

    @Test func `what is there is called otherwise, and limits change`() async throws {
        try await AppFixture.run { app in
            let ledger = app.ledger
            app.serve("/first", [1, 2, 3])
            let handle = try await ledger.enqueue(
                try app.url("/first"), options: DownloadOptions(group: "course", title: "Lesson 1"))
            _ = try await handle.value
            var update = DownloadUpdate()
            (update.title, update.tags) = ("Lesson 1, second edition", ["new"])
            try await ledger.update(handle.id, with: update)
            let renamed = try #require(try await ledger.download(handle.id))
            #expect(renamed.title == "Lesson 1, second edition" && renamed.tags == ["new"])
            try await ledger.undo()
            #expect(try await ledger.download(handle.id)?.title == "Lesson 1")

            try await ledger.limit(runningMax: 0)
            let waiting = try await enqueue(app).map(\.id)
            var louder = DownloadUpdate()
            louder.priority = 10
            try await ledger.update(.where { $0.group == "course" }, with: louder)
            #expect(try await ledger.download(waiting[1])?.priority == 10)
            #expect(try await ledger.download(waiting[2])?.priority == 0)
            try await ledger.limit(runningMax: 1, bytesPerSecondMax: 500_000)

            let figures = try await ledger.statistics().total
            show("\(figures.completed) of \(figures.enqueued), \(figures.bytes) bytes")
            #expect(stage.lines == ["1 of 3, 3 bytes"])
        }
    }
}
