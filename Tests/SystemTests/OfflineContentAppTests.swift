import AppTestSupport
import DownloadLedger
import FoundationEssentials
import LedgerTestSupport
import Observation
import Synchronization
import Testing

/// System 1, an app with videos and PDFs for use without a network: see Promises.md.
@Suite(.timeLimit(.minutes(30))) struct OfflineContentAppTests {
    /// What its backend offers: two videos and a PDF.
    private func fill(_ app: AppFixture) async throws -> [DownloadHandle] {
        var handles: [DownloadHandle] = []
        for (id, name, title, details) in [
            ("v-1", "light.mp4", "Light", "how to see it"), ("v-2", "shutter.mp4", "Shutter", "how long to wait"),
            ("p-1", "manual.pdf", "Manual", "all of it, in words"),
        ] {
            var options = DownloadOptions(title: title, identifier: id)
            options.details = details
            handles.append(try await app.fetched("/" + name, OriginEntity.pattern(1000 + handles.count), options))
        }
        return handles
    }

    @Test func `a video and a PDF are downloaded from their URLs, and open without a network`() async throws {
        try await AppFixture.run { app in
            let handles = try await fill(app)
            try await app.origin.stop()
            for (place, name) in ["/light.mp4", "/shutter.mp4", "/manual.pdf"].enumerated() {
                let file = try await handles[place].value
                #expect(try app.contents(file) == OriginEntity.pattern(1000 + place))
                #expect(file.lastPathComponent == String(name.dropFirst()))
            }
        }
    }

    @Test func `progress is true and in percent while it runs`() async throws {
        try await AppFixture.run { app in
            let gate = OriginGate()
            app.serve("/light.mp4", OriginEntity.pattern(400_000), holdingAt: gate, after: 100_000)
            let url = try app.url("/light.mp4")
            #expect(try await app.ledger.progress(for: url) == nil)
            let handle = try await app.ledger.enqueue(url)
            var percents: [Double] = []
            for await progress in handle.progress {
                guard let fraction = progress.fraction else { continue }
                percents.append(fraction * 100)
                if fraction == 0.25 { gate.open() }
            }
            #expect(percents.contains(25) && percents.last == 100 && percents == percents.sorted())
            #expect(try await app.ledger.progress(for: url)?.fraction == 1)
        }
    }

    @Test func `errors are told in words that a user understands`() async throws {
        try await AppFixture.run(retries: .never) { app in
            let nobody = try await AppFixture.deadURL()
            let network = await failure { () throws(DownloadError) in try await app.ledger.enqueue(nobody).value }
            #expect(network?.category == .network && network?.code == "unreachable")
            #expect(network?.message.contains("127.0.0.1") ?? false)

            let none = try app.url("/none.mp4")
            let status = await failure { () throws(DownloadError) in try await app.ledger.enqueue(none).value }
            #expect(status?.category == .status)
            #expect(status?.message.contains("404") ?? false)

            let file = try await app.fetched("/light.mp4", [1]).value
            let below = file.appending(component: "more", directoryHint: .isDirectory)
            let light = try app.url("/light.mp4")
            let disk = await failure { () throws(DownloadError) in
                try await app.ledger.enqueue(light, to: below).value
            }
            #expect(disk?.category == .fileSystem)
            for error in [network, status, disk] { #expect(error?.message.contains("Error") == false) }
        }
    }

    @Test(arguments: ["ftp://example.org/a.mp4", "http://", "mailto:a@example.org", "a.mp4"])
    func `an invalid URL is told before any attempt`(text: String) async throws {
        try await AppFixture.run { app in
            let url = try #require(URL(string: text))
            let error = await failure { () throws(DownloadError) in try await app.ledger.enqueue(url) }
            #expect(error?.code == "bad-url" && error?.category == .request)
            #expect(try await app.ledger.downloads().isEmpty)
        }
    }

    @Test func `deleting frees the space, and storage shows it`() async throws {
        try await AppFixture.run { app in
            let handles = try await fill(app)
            #expect(try await app.ledger.storage().total == .init(files: 3, bytes: 3003))
            #expect(try await app.ledger.storage().kinds[.video] == .init(files: 2, bytes: 2001))
            let file = try await handles[0].value
            try await app.ledger.delete(handles[0].id, file: .purge)
            #expect(try app.contents(file) == nil)
            #expect(try await app.ledger.storage().total == .init(files: 2, bytes: 2003))
            var videos = DownloadQuery()
            videos.kinds = [.video]
            #expect(try await app.ledger.delete(.matching(videos), file: .purge).done.count == 1)
            #expect(try await app.ledger.storage().kinds.keys.sorted { $0.rawValue < $1.rawValue } == [.document])
            #expect(try app.names() == ["manual.pdf"])
        }
    }

    @Test func `connectivity is looked at before a download, and nothing is asked for without`() async throws {
        let isOnline = Atomic(false)
        try await AppFixture.run(configured: .by { $0.policy = { isOnline.load(ordering: .relaxed) ? nil : .offline } })
        {
            app in
            app.serve("/light.mp4", [1, 2, 3])
            let handle = try await app.ledger.enqueue(try app.url("/light.mp4"))
            let waiting = try await app.seen(handle.id) { $0.state == .waiting }
            #expect(waiting.error?.message == "there is no network" && waiting.error?.category == .network)
            #expect(app.requested.isEmpty)
            isOnline.store(true, ordering: .relaxed)
            app.ledger.networkChanged()
            #expect(try app.contents(try await handle.value) == [1, 2, 3])
        }
    }

    @Test func `names and descriptions are searched, and the filters are all, videos, PDFs and downloaded`()
        async throws
    {
        try await AppFixture.run(retries: .never) { app in
            _ = try await fill(app)
            let none = try await app.ledger.enqueue(try app.url("/none.mp4"))
            _ = try await app.recorded("failed", of: none.id)
            func names(_ change: (inout DownloadQuery) -> Void) async throws -> [String] {
                var query = DownloadQuery()
                change(&query)
                return try await app.ledger.downloads(query).map(\.name)
            }
            #expect(try await names { $0.search = "SHUT" } == ["Shutter"])
            #expect(try await names { $0.search = "how" } == ["Light", "Shutter"])
            #expect(try await names { $0.search = "nowhere" } == [])
            #expect(try await names { _ in } == ["Light", "Shutter", "Manual", "none.mp4"])
            #expect(try await names { $0.kinds = [.video] } == ["Light", "Shutter", "none.mp4"])
            #expect(try await names { $0.kinds = [.document] } == ["Manual"])
            #expect(try await app.ledger.downloads(.downloaded).map(\.name) == ["Light", "Shutter", "Manual"])
        }
    }
}
