import AppTestSupport
import DownloadLedger
import FoundationEssentials
import LedgerTestSupport
import Synchronization
import Testing

struct HandleTests {
    @Test func `ten who ask for one file have one transfer, ten progress streams and ten results`() async throws {
        try await AppFixture.run { app in
            let bytes = OriginEntity.pattern(400_000)
            let gate = OriginGate()
            app.origin.on("/a.bin") { OriginEntity(bytes).reply(to: $0).holding(at: gate, after: 100_000) }
            let url = try app.url("/a.bin")
            let ends = try await withThrowingTaskGroup(of: (DownloadProgress?, URL).self) { group in
                for _ in 0..<10 {
                    group.addTask { [ledger = app.ledger] in
                        let handle = try await ledger.enqueue(url)
                        var last: DownloadProgress?
                        for await progress in handle.progress { last = progress }
                        return (last, try await handle.value)
                    }
                }
                await gate.reached()
                gate.open()
                var ends: [(DownloadProgress?, URL)] = []
                for try await end in group { ends.append(end) }
                return ends
            }
            #expect(ends.count == 10 && app.origin.requests.count == 1)
            for (progress, file) in ends {
                #expect(progress?.phase == .finished && progress?.received == 400_000 && progress?.fraction == 1)
                #expect(try app.contents(file) == bytes)
            }
        }
    }

    @Test func `callbacks are told of progress and of the end, whichever it is`() async throws {
        try await AppFixture.run(retries: .never) { app in
            app.serve("/a", OriginEntity.pattern(1000))
            let (ends, end) = AsyncStream.makeStream(of: Result<URL, DownloadError>.self)
            let id = await app.ledger.add(url: try app.url("/a")) { end.yield($0) }
            #expect(id != nil)
            await app.ledger.add(url: try app.url("/none")) { end.yield($0) }
            let refused = await app.ledger.add(url: try #require(URL(string: "ftp://x/y"))) { end.yield($0) }
            #expect(refused == nil)
            var codes: [String] = []
            for await result in ends.prefix(3) {
                switch result {
                case .success(let file): codes.append(file.lastPathComponent)
                case .failure(let error): codes.append("\(error.code) \(error.category.rawValue)")
                }
            }
            #expect(codes.sorted() == ["a", "bad-url request", "status status"])
        }
    }

    @Test func `whoever waits is told of a cancellation, a deletion and the end of the ledger`() async throws {
        try await AppFixture.run(runningMax: 0) { app in
            var waits: [Task<String, Never>] = []
            var handles: [DownloadHandle] = []
            for name in ["a", "b", "c"] {
                let handle = try await app.ledger.enqueue(try app.url("/" + name))
                handles.append(handle)
                waits.append(
                    Task {
                        do throws(DownloadError) {
                            _ = try await handle.value
                            return "a file"
                        } catch { return error.code }
                    })
            }
            try await app.ledger.cancel(handles[0].id)
            try await app.ledger.delete(handles[1].id)
            #expect(await waits[0].value == "cancelled")
            #expect(await waits[1].value == "deleted")
            await app.ledger.close()
            #expect(await waits[2].value == "closed")
            await #expect(throws: DownloadError.self) { try await app.ledger.enqueue(try app.url("/d")) }
        }
    }

    @Test func `a pause, a restart and a resumption lose nothing, and a handle is found again`() async throws {
        try await AppFixture.run { first in
            let bytes = OriginEntity.pattern(300_000)
            let gate = OriginGate()
            first.origin.script(
                "/a",
                [
                    { OriginEntity(bytes).reply(to: $0).holding(at: gate, after: 150_000) },
                    { OriginEntity(bytes).reply(to: $0) },
                ])
            let handle = try await first.ledger.enqueue(try first.url("/a"))
            for try await event in first.ledger.events() where event.type == "progressed" { break }
            #expect(try await first.ledger.pause(handle.id).state == .paused)
            gate.open()
            let app = try await first.restarted()
            #expect(try await app.ledger.download(handle.id)?.state == .paused)
            #expect(try await app.ledger.isDownloading(try app.url("/a")))
            try await app.ledger.resume(handle.id)
            let file = try await app.ledger.handle(for: handle.id).value
            #expect(try app.contents(file) == bytes)
            #expect(app.origin.requests.last?.fields.contains { $0.name == "range" } ?? false)
            await app.ledger.close()
        }
    }
}
