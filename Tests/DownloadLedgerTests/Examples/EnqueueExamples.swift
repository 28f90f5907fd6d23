import AppTestSupport
import Crypto
import DownloadLedger
import FoundationEssentials
import LedgerTestSupport
import Testing

/// The examples of what is asked for: downloads, their options, their handles and how far they are.
struct EnqueueExamples {
    private let stage = Stage()
    private let bar = Bar()

    private func show(_ line: String) { stage.show(line) }
    private func play(_ file: URL) { stage.play(file) }
    private func offerToTryAgain() { stage.show("try again?") }

    @Test func `a download and its handle`() async throws {
        try await AppFixture.run { app in
            app.serve("/lesson-1.mp4", OriginEntity.pattern(1000))
            let (ledger, url) = (app.ledger, try app.url("/lesson-1.mp4"))
            do {
                let handle = try await ledger.enqueue(url, options: DownloadOptions(group: "course", title: "Lesson 1"))
                let file = try await handle.value
                #expect(try app.contents(file)?.count == 1000)
                #expect(try await ledger.download(handle.id)?.name == "Lesson 1")
            }
            do {
                let handle = try await ledger.enqueue(url)
                for await progress in handle.progress { bar.show(progress.fraction) }
                let file = try await handle.value
                #expect(handle.isJoined && bar.stage.lines == ["100 %"] && file.lastPathComponent == "lesson-1.mp4")
                for await progress in handle.progress {
                    show("\(progress.received) bytes at \(progress.bytesPerSecond ?? 0) bytes a second")
                }
                #expect(stage.lines == ["1000 bytes at 0 bytes a second"])
            }
        }
    }

    @Test func `how far it is`() async throws {
        try await AppFixture.run { app in
            let gate = OriginGate()
            app.origin.on("/a") {
                OriginEntity(.init(repeating: 7, count: 1000)).reply(to: $0).holding(at: gate, after: 500)
            }
            let handle = try await app.ledger.enqueue(try app.url("/a"))
            let opening = Task {
                await gate.reached()
                gate.open()
            }
            for await progress in handle.progress {
                switch progress.phase {
                case .connecting: show("asking")
                case .downloading(let held): show("\(progress.received) bytes, \(held) of them from before")
                case .waiting(let until, let error):
                    show("\(error?.message ?? "waiting") until \(until?.description ?? "-")")
                case .queued, .paused, .finished, .ended: show("\(progress.phase)")
                }
            }
            await opening.value
            #expect(stage.lines.last == "finished")
        }
    }

    @Test func `options of a download`() async throws {
        try await AppFixture.run { app in
            let bytes = OriginEntity.pattern(1000)
            app.serve("/mirror/lesson-1.mp4", bytes)
            let (ledger, url) = (app.ledger, try app.url("/lesson-1.mp4"))
            let mirror = try app.url("/mirror/lesson-1.mp4")
            let publishedSum = SHA256.hash(data: bytes).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
            var options = DownloadOptions(group: "course", title: "Lesson 1")
            options.mirrors = [mirror]
            options.checksum = "sha-256=" + publishedSum
            options.priority = 10
            let handle = try await ledger.enqueue(url, options: options)
            #expect(try app.contents(try await handle.value) == bytes)
            #expect(try await ledger.download(handle.id)?.sha256 == publishedSum)
        }
    }

    @Test func `many downloads in one step`() async throws {
        try await AppFixture.run { app in
            let (ledger, directory) = (app.ledger, app.directory("films"))
            let (first, second) = (try app.url("/first.mp4"), try app.url("/second.mp4"))
            app.serve("/second.mp4", [1, 2, 3])
            do {
                let requests = [
                    DownloadRequest(first, options: DownloadOptions(group: "course")),
                    DownloadRequest(second, to: directory.appending(path: "second.mp4")),
                ]
                let answers = try await ledger.enqueue(requests)
                #expect(try await answers[1].get().value == directory.appending(path: "second.mp4"))
            }
            let urls = [first, try #require(URL(string: "ftp://example.org/third.mp4"))]
            let answers = try await ledger.enqueue(urls.map { DownloadRequest($0) })
            for case .failure(let error) in answers { show(error.message) }
            #expect(stage.lines.count == 1 && answers.count == 2)
        }
    }

    @Test func `callbacks`() async throws {
        try await AppFixture.run { app in
            app.serve("/a", [1, 2, 3])
            let (ledger, url, bar) = (app.ledger, try app.url("/a"), bar)
            await ledger.add(url: url) { progress in
                bar.show(progress.fraction)
            } onCompletion: { result in
                bar.end(result)
            }
            #expect(try await bar.result?.get().lastPathComponent == "a")
        }
    }

    @Test func `a download is found again by its number`() async throws {
        try await AppFixture.run { app in
            app.serve("/a", [1, 2, 3])
            let ledger = app.ledger
            let handle = try await ledger.enqueue(try app.url("/a"))
            let id = handle.id
            do {
                let saved = handle.id.rawValue
                let handle = ledger.handle(for: Download.ID(saved))
                #expect(handle.id == id)
            }
            let file = try await ledger.handle(for: id).value
            #expect(file.lastPathComponent == "a")
        }
    }

    @Test func `what fails says why and what helps`() async throws {
        try await AppFixture.run(retries: .never) { app in
            let handle = try await app.ledger.enqueue(try app.url("/none"))
            do throws(DownloadError) {
                play(try await handle.value)
            } catch {
                show(error.message)
                if error.category == .network { offerToTryAgain() }
            }
            let error = try #require(try await app.ledger.download(handle.id)?.error)
            let isTheirs = [.status, .content].contains(error.category)
            #expect(isTheirs && stage.lines == [error.message] && error.code == "status")
        }
    }
}
