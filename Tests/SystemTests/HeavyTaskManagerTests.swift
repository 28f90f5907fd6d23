import AppTestSupport
import DownloadLedger
import FoundationEssentials
import LedgerTestSupport
import Synchronization
import Testing

/// System 4, the large files of a manager of heavy tasks: see Promises.md.
@Suite(.timeLimit(.minutes(30))) struct HeavyTaskManagerTests {
    @Test func `many callbacks have one transfer, and each is told of progress and of the result`() async throws {
        try await AppFixture.run { app in
            let (bytes, gate) = (OriginEntity.pattern(300_000), OriginGate())
            app.serve("/large.bin", bytes, holdingAt: gate, after: 150_000)
            let url = try app.url("/large.bin")
            let (told, tell) = AsyncStream.makeStream(of: (caller: Int, received: UInt64).self)
            let (results, end) = AsyncStream.makeStream(of: (caller: Int, result: Result<URL, DownloadError>).self)
            for caller in 0..<8 {
                await app.ledger.add(
                    url: url, onProgress: { tell.yield((caller, $0.received)) },
                    onCompletion: { end.yield((caller, $0)) })
            }
            var halfway: Set<Int> = []
            for await (caller, received) in told where received == 150_000 {
                halfway.insert(caller)
                if halfway.count == 8 { break }
            }
            gate.open()
            var files: [Int: URL] = [:]
            for await (caller, result) in results.prefix(8) { files[caller] = try result.get() }
            #expect(files.count == 8 && Set(files.values).count == 1)
            #expect(try app.contents(try #require(files[0])) == bytes && app.requested == ["/large.bin"])
        }
    }

    @Test func `the async form and the callback form share one transfer, and errors too`() async throws {
        try await AppFixture.run(retries: .never) { app in
            let gate = OriginGate()
            app.origin.on("/none") { _ in
                OriginReply(404, body: [1]).holding(at: gate, after: 0)
            }
            let (results, end) = AsyncStream.makeStream(of: Result<URL, DownloadError>.self)
            let handle = try await app.ledger.enqueue(try app.url("/none"))
            let id = await app.ledger.add(url: try app.url("/none")) { end.yield($0) }
            #expect(id == handle.id)
            gate.open()
            let error = await failure { () throws(DownloadError) in try await handle.value }
            #expect(error?.category == .status)
            for await result in results.prefix(1) {
                #expect(await failure { () throws(DownloadError) in try result.get() } == error)
            }
            #expect(app.requested == ["/none"])
        }
    }

    @Test func `a partial file is resumed, and progress is bytes of bytes`() async throws {
        try await AppFixture.run { first in
            let bytes = OriginEntity.pattern(300_000)
            let handle = try await first.halved("/large.bin", bytes)
            let half = try #require(try await first.ledger.progress(for: try first.url("/large.bin")))
            #expect(half.received == 150_000 && half.total == 300_000 && half.fraction == 0.5)
            try await first.restarted { app in
                let file = try await app.ledger.handle(for: handle.id).value
                #expect(try app.contents(file) == bytes)
                #expect(app.origin.requests.map(\.rangeStart) == [nil, 150_000])
            }
        }
    }

    @Test func `local and remote size are compared: a whole file is taken, a short one and a changed one are not`()
        async throws
    {
        try await AppFixture.run { app in
            let bytes = OriginEntity.pattern(3000)
            let handle = try await app.fetched("/large.bin", bytes)
            let (url, file) = (try app.url("/large.bin"), try await handle.value)
            #expect(try await app.ledger.download(handle.id)?.size == 3000)
            let again = try await app.ledger.enqueue(url)
            #expect(again.isJoined && app.requested.count == 1)
            #expect(try await again.value == file)
            // Someone cut the local file: it is fetched anew, beside what stands there.
            try app.replace(file, with: Array(bytes.prefix(1000)))
            let mended = try await app.ledger.enqueue(url).value
            #expect(try app.contents(mended) == bytes && app.requested.count == 2)
            // What is to have another size than the origin has fails, and no file is left that looks whole.
            app.serve("/other.bin", bytes)
            var options = DownloadOptions()
            (options.expectedLength, options.retriesMax) = (4000, 0)
            let other = try await app.ledger.enqueue(try app.url("/other.bin"), options: options)
            let error = await failure { () throws(DownloadError) in try await other.value }
            #expect(error?.category == .content)
            #expect(try !app.names().contains("other.bin"))
        }
    }

    @Test func `a running task is stopped to be used again later, or for good`() async throws {
        try await AppFixture.run { app in
            let bytes = OriginEntity.pattern(300_000)
            let later = try await app.halved("/later.bin", bytes)
            let good = try await app.halved("/good.bin", bytes)
            #expect(try await app.ledger.pause(later.id).received == 150_000)
            #expect(try await app.ledger.cancel(good.id).state == .cancelled)
            #expect(try await app.counts() == [.paused: 1, .cancelled: 1])
            try await app.ledger.resume(later.id)
            #expect(try app.contents(try await later.value) == bytes)
            try await app.ledger.retry(good.id)
            #expect(try app.contents(try await good.value) == bytes)
            let starts = app.origin.requests.map { ($0.path, $0.rangeStart ?? 0) }
            #expect(starts.map(\.0) == ["/later.bin", "/good.bin", "/later.bin", "/good.bin"])
            #expect(starts.map(\.1) == [0, 0, 150_000, 0])
        }
    }

    @Test func `the name of a file is the hash of its URL`() async throws {
        try await AppFixture.run(naming: .hashOfURL) { first in
            let one = try await first.fetched("/a/large.bin", [1]).value.lastPathComponent
            let other = try await first.fetched("/b/large.bin", [2]).value.lastPathComponent
            for name in [one, other] {
                #expect(name.hasSuffix(".bin") && name.count == 68)
                #expect(name.prefix(64).allSatisfy { $0.isHexDigit && !$0.isUppercase })
            }
            #expect(one != other)
            // The same URL has the same name, whoever asks and whenever.
            try await first.ledger.delete(.all, file: .purge)
            try await first.restarted { app in
                let again = try await app.fetched("/a/large.bin", [3]).value
                #expect(again.lastPathComponent == one)
            }
        }
    }
}
