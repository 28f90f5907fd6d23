import AppTestSupport
import DownloadLedger
import FoundationEssentials
import LedgerTestSupport
import SystemPackage
import Testing

struct LibraryTests {
    /// A library of four finished files in two groups.
    private func fill(_ app: AppFixture) async throws -> [Download.ID: URL] {
        var requests: [DownloadRequest] = []
        for (name, group) in [
            ("one.mp4", "course"), ("two.mp4", "course"), ("notes.pdf", "course"), ("song.mp3", "radio"),
        ] {
            app.serve("/" + name, OriginEntity.pattern(1000 + requests.count))
            var options = DownloadOptions(group: group, title: "Title of \(name)")
            options.details = name == "two.mp4" ? "aperture and shutter" : nil
            options.tags = name.hasSuffix("mp4") ? ["film"] : []
            requests.append(DownloadRequest(try app.url("/" + name), options: options))
        }
        var files: [Download.ID: URL] = [:]
        for answer in try await app.ledger.enqueue(requests) {
            let handle = try answer.get()
            files[handle.id] = try await handle.value
        }
        return files
    }

    @Test func `the catalog is searched, filtered, sorted and paged`() async throws {
        try await AppFixture.run { app in
            _ = try await fill(app)
            func names(_ change: (inout DownloadQuery) -> Void) async throws -> [String] {
                var query = DownloadQuery()
                change(&query)
                return try await app.ledger.downloads(query).map(\.fileURL.lastPathComponent)
            }
            #expect(try await names { _ in } == ["one.mp4", "two.mp4", "notes.pdf", "song.mp3"])
            #expect(try await names { $0.search = "SHUTTER" } == ["two.mp4"])
            #expect(try await names { $0.kinds = [.video, .document] } == ["one.mp4", "two.mp4", "notes.pdf"])
            #expect(try await names { $0.groups = ["radio"] } == ["song.mp3"])
            #expect(try await names { $0.groups = ["radio", "none"] } == ["song.mp3"])
            #expect(try await names { $0.tags = ["film"] } == ["one.mp4", "two.mp4"])
            #expect(try await names { $0.states = [.failed] } == [])
            #expect(try await names { $0.added = Date.distantPast...Date(timeIntervalSince1970: 0) } == [])
            #expect(try await names { $0.completed = Date(timeIntervalSince1970: 0)...Date.distantFuture }.count == 4)
            #expect(try await names { ($0.sort, $0.isDescending) = (.name, true) }.first == "two.mp4")
            #expect(try await names { ($0.sort, $0.offset, $0.limit) = (.size, 1, 2) } == ["two.mp4", "notes.pdf"])
            #expect(try await names { ($0.tags, $0.offset, $0.limit) = (["film"], 1, 5) } == ["two.mp4"])
            #expect(try await names { ($0.offset, $0.limit) = (3, .max) } == ["song.mp3"])
            #expect(try await names { ($0.offset, $0.limit) = (-1, 1) } == ["one.mp4"])
        }
    }

    @Test func `storage is counted by group and kind, and a group is removed and brought back as one`() async throws {
        try await AppFixture.run { app in
            let files = try await fill(app)
            let storage = try await app.ledger.storage()
            #expect(storage.total == .init(files: 4, bytes: 4006))
            #expect(storage.groups == ["course": .init(files: 3, bytes: 3003), "radio": .init(files: 1, bytes: 1003)])
            #expect(storage.kinds[.video] == .init(files: 2, bytes: 2001))
            let removed = try await app.ledger.deleteAll(in: "course")
            #expect(removed.done.count == 3 && removed.refused.isEmpty)
            #expect(try await app.ledger.storage().groups.keys.sorted() == ["radio"])
            for id in removed.done.map(\.id) { #expect(try app.contents(try #require(files[id])) == nil) }
            #expect(try await app.ledger.undo().count == 3)
            #expect(try await app.ledger.storage() == storage)
            for file in files.values { #expect(try app.contents(file) != nil) }
        }
    }

    @Test func `the local file is played if it is whole, else the URL, and no request is made for that`() async throws {
        try await AppFixture.run { app in
            let files = try await fill(app)
            let (url, requests) = (try app.url("/song.mp3"), app.origin.requests.count)
            let id = try #require(try await app.ledger.downloads(from: url).first?.id)
            let file = try #require(files[id])
            #expect(try await app.ledger.playbackURL(for: url) == file)
            #expect(try await app.ledger.playbackURL(for: url, checking: true) == file)
            #expect(try await app.ledger.isDownloaded(url))
            #expect(try await app.ledger.progress(for: url)?.phase == .finished)
            let other = try app.url("/other")
            #expect(try await app.ledger.playbackURL(for: other) == other)
            // One bit turns behind our back, and the file looks the same from outside.
            try app.damage(file)
            #expect(try await app.ledger.playbackURL(for: url, checking: true) == url)
            #expect(try await app.ledger.download(id)?.state == .altered)
            #expect(try await app.ledger.playbackURL(for: url) == url)
            #expect(app.origin.requests.count == requests)
            try await app.ledger.retry(id)
            let mended = try await app.ledger.handle(for: id).value
            #expect(try await app.ledger.playbackURL(for: url, checking: true) == mended)
        }
    }

    @Test func `what comes next in its group is found`() async throws {
        try await AppFixture.run { app in
            let ids = try await fill(app).keys.sorted()
            #expect(try await app.ledger.next(after: ids[0])?.id == ids[1])
            #expect(try await app.ledger.next(after: ids[2]) == nil)
        }
    }

    @Test func `files are named as the configuration says`() async throws {
        for (naming, expected) in [
            (NamingStrategy.name, "files/a.mp4"), (.identifier, "files/e-7.mp4"), (.groupAndName, "files/radio/a.mp4"),
            (.groupAndIdentifier, "files/radio/e-7.mp4"),
        ] {
            try await AppFixture.run(naming: naming) { app in
                app.serve("/a.mp4", [1, 2, 3])
                let options = DownloadOptions(group: "radio", identifier: "e-7")
                let file = try await app.ledger.enqueue(try app.url("/a.mp4"), options: options).value
                #expect(file.path(percentEncoded: false) == app.root.string + "/" + expected)
            }
        }
        try await AppFixture.run(naming: .hashOfURL) { app in
            app.serve("/a.mp4", [1, 2, 3])
            let file = try await app.ledger.enqueue(try app.url("/a.mp4")).value
            #expect(file.lastPathComponent.count == 68 && file.pathExtension == "mp4")
        }
    }

    @Test func `a URL with another token is another file`() async throws {
        try await AppFixture.run { app in
            app.serve("/a", [1, 2, 3])
            let (mine, others) = (try app.url("/a?token=A"), try app.url("/a?token=B"))
            let file = try await app.ledger.enqueue(mine).value
            #expect(try await app.ledger.localURL(for: mine) == file)
            #expect(try await !app.ledger.isDownloaded(others))
            #expect(try await app.ledger.playbackURL(for: others, checking: true) == others)
            let shown = try #require(try await app.ledger.downloads().first?.url)
            #expect(shown != mine)
            #expect(try await app.ledger.localURL(for: shown) == file)
        }
    }

    @Test func `a number below 1 is refused before anything is evicted`() async throws {
        try await AppFixture.run { app in
            for (newest, bytes) in [(-1, nil), (0, nil), (nil, 0)] as [(Int?, UInt64?)] {
                await #expect {
                    try await app.ledger.keep(newestMax: newest, bytesMax: bytes, in: "radio")
                } throws: { error in
                    (error as? DownloadError)?.code == "usage"
                }
            }
        }
    }
}
