import AppTestSupport
import DownloadLedger
import FoundationEssentials
import LedgerTestSupport
import Testing

/// A type of the app's own of the same name.
private struct Download {}

func size(of download: DownloadLedger::Download) -> UInt64 { download.size ?? 0 }

/// The examples of what there is: the catalog, files to play, storage.
struct LibraryExamples {
    private let stage = Stage()

    private func show(_ line: String) { stage.show(line) }
    private func play(_ file: URL) { stage.play(file) }
    private func share(_ file: URL) { show("shares " + file.lastPathComponent) }

    /// Two films of a course.
    private func fill(_ app: AppFixture) async throws -> [DownloadHandle] {
        var handles: [DownloadHandle] = []
        for (path, words) in [("/one.mp4", "aperture and shutter"), ("/two.mp4", "light")] {
            app.serve(path, OriginEntity.pattern(1000))
            var options = DownloadOptions(group: "course")
            options.details = words
            handles.append(try await app.ledger.enqueue(try app.url(path), options: options))
        }
        for handle in handles { _ = try await handle.value }
        return handles
    }

    @Test func `the catalog is asked`() async throws {
        try await AppFixture.run { app in
            let handles = try await fill(app)
            let (ledger, handle, url) = (app.ledger, handles[0], try app.url("/one.mp4"))
            do {
                let download = try await ledger.download(handle.id)
                #expect(try size(of: #require(download)) == 1000)
                #expect(download?.localURL?.lastPathComponent == "one.mp4")
                let versions = try await ledger.downloads(from: url)
                #expect(versions.map(\.id) == [handle.id])
            }
            do {
                var query = DownloadQuery.downloaded
                query.search = "shutter"
                let found = try await ledger.downloads(query)
                #expect(found.map(\.id) == [handle.id])
                let open = try await ledger.downloads().filter { !$0.state.isEnd }
                #expect(open.isEmpty)
            }
            do {
                var query = DownloadQuery()
                query.search = "aperture shutter"
                query.kinds = [.video]
                (query.sort, query.isDescending) = (.completed, true)
                (query.offset, query.limit) = (0, 50)
                let page = try await ledger.downloads(query)
                #expect(page.map(\.id) == [handle.id])
            }
            do {
                var query = DownloadQuery()
                query.kinds = [.video, .audio]
                #expect(try await ledger.downloads(query).count == 2)
            }
            do {
                var query = DownloadQuery.downloaded
                query.sort = .size
                #expect(try await ledger.downloads(query).count == 2)
            }
            for download in try await ledger.downloads() {
                switch download.state {
                case .running: show("\(download.name): \(download.received) of \(download.size ?? 0) bytes")
                case .failed: show("\(download.name): \(download.error?.message ?? "failed")")
                default: show("\(download.name): \(download.state.rawValue)")
                }
            }
            #expect(stage.lines == ["one.mp4: completed", "two.mp4: completed"])
        }
    }

    @Test func `what is here is played`() async throws {
        try await AppFixture.run { app in
            let handles = try await fill(app)
            let (ledger, url) = (app.ledger, try app.url("/one.mp4"))
            let download = try #require(try await ledger.download(handles[0].id))
            if let next = try await ledger.next(after: download.id) { play(next.fileURL) }
            if let file = try await ledger.localURL(for: url) { share(file) }
            play(try await ledger.playbackURL(for: url))
            #expect(stage.lines == ["plays two.mp4", "shares one.mp4", "plays one.mp4"])
            let isBusy = try await ledger.isDownloading(url)
            let isHere = try await ledger.isDownloaded(url)
            let fraction = try await ledger.progress(for: url)?.fraction
            #expect(!isBusy && isHere && fraction == 1)
        }
    }

    @Test func `storage is counted`() async throws {
        try await AppFixture.run { app in
            _ = try await fill(app)
            let ledger = app.ledger
            let storage = try await ledger.storage()
            show("\(storage.total.files) files, \(storage.total.bytes) bytes")
            for (group, amount) in storage.groups { show("\(group): \(amount.bytes) bytes") }
            #expect(stage.lines == ["2 files, 2000 bytes", "course: 2000 bytes"])
        }
    }

    @Test func `a file that was changed behind our back is not played when it is looked into`() async throws {
        try await AppFixture.run { app in
            let handles = try await fill(app)
            let (ledger, url) = (app.ledger, try app.url("/one.mp4"))
            try app.damage(try await handles[0].value)
            let safe = try await ledger.playbackURL(for: url, checking: true)
            if safe == url { try await ledger.retry(.where { $0.state == .altered }) }
            _ = try await handles[0].value
            #expect(safe == url)
            #expect(try await ledger.playbackURL(for: url, checking: true).isFileURL)
        }
    }
}
