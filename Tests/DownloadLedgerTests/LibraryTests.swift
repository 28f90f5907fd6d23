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

    @Test func `two identifiers are two files, and one URL is one, however it is written`() async throws {
        try await AppFixture.run(naming: .identifier) { app in
            app.serve("/a.mp4", [1])
            app.serve("/b.mp4", [2])
            var names: [String] = []
            for (path, identifier) in [("/a.mp4", "https://a.example/?p=12"), ("/b.mp4", "https://b.example/?p=12")] {
                let options = DownloadOptions(identifier: identifier)
                names.append(try await app.ledger.enqueue(try app.url(path), options: options).value.lastPathComponent)
            }
            #expect(Set(names).count == 2 && names.allSatisfy { $0.hasPrefix("https___") && $0.hasSuffix(".mp4") })
        }
        try await AppFixture.run(naming: .hashOfURL) { app in
            app.serve("/a.mp4", [1])
            let first = try await app.ledger.enqueue(try app.url("/a.mp4"))
            let again = try await app.ledger.enqueue(try app.url("/f/../a.mp4#t=5"))
            #expect(again.isJoined && again.id == first.id)
        }
    }

    /// Two downloads that have one file.
    private func shared(_ app: AppFixture) async throws -> (first: DownloadHandle, second: DownloadHandle, file: URL) {
        app.serve("/a", [1, 2, 3])
        app.serve("/b", [4, 5])
        let place = URL(filePath: app.root.string + "/files/shared")
        let first = try await app.ledger.enqueue(try app.url("/a"), to: place)
        let file = try await first.value
        var options = DownloadOptions()
        options.collision = .skip
        let second = try await app.ledger.enqueue(try app.url("/b"), to: place, options: options)
        #expect(try await second.value == file && second.id != first.id)
        return (first, second, file)
    }

    @Test func `a file that two downloads have goes with the last of them`() async throws {
        try await AppFixture.run { app in
            let (first, second, file) = try await shared(app)
            try await app.ledger.delete(second.id, file: .purge)
            #expect(try await first.value == file && app.contents(file) == [1, 2, 3])
            try await app.ledger.delete(first.id, file: .purge)
            #expect(try app.contents(file) == nil)
        }
        // One that is kept on purpose stays, whatever was said of the other before.
        for isFirstKept in [false, true] {
            try await AppFixture.run { app in
                let (first, second, file) = try await shared(app)
                let (gone, kept) = isFirstKept ? (second, first) : (first, second)
                try await app.ledger.delete(gone.id, file: .purge)
                try await app.ledger.delete(kept.id, file: .keep)
                try await app.restarted { again in
                    _ = try await again.ledger.downloads()
                    #expect(try again.contents(file) == [1, 2, 3])
                }
            }
        }
    }

    @Test func `a file that is gone is not given to who asks for it later`() async throws {
        try await AppFixture.run { app in
            app.serve("/a", [1, 2, 3])
            let handle = try await app.ledger.enqueue(try app.url("/a"))
            try FileManager.default.removeItem(at: try await handle.value)
            await #expect { try await handle.value } throws: { ($0 as? DownloadError)?.code == "missing" }
        }
    }

    @Test func `what helps is nothing to be typed`() async throws {
        try await AppFixture.run { app in
            let long = URL(filePath: app.root.string + "/" + String(repeating: "a", count: 300))
            await #expect { try await app.ledger.enqueue(try app.url("/a"), to: long) } throws: {
                ($0 as? DownloadError).map { $0.code == "bad-destination" && $0.next == nil } ?? false
            }
            await #expect { try await app.ledger.cancel(Download.ID(7)) } throws: {
                ($0 as? DownloadError).map { $0.code == "not-found" && $0.next == nil } ?? false
            }
        }
    }

    @Test func `a URL of something else than a directory names none`() async throws {
        try await AppFixture.run { app in
            var configuration = LedgerConfiguration()
            configuration.directory = URL(string: "https://example.org/d")
            let home = URL(filePath: app.root.string + "/other")
            await #expect { try await DownloadLedger.open(at: home, configuration: configuration) } throws: {
                ($0 as? DownloadError)?.code == "bad-destination"
            }
            var following = Listing.Following(.feed)
            following.directory = URL(string: "https://example.org/d")
            await #expect { try await app.ledger.follow(try app.url("/feed"), following) } throws: {
                ($0 as? DownloadError)?.code == "bad-destination"
            }
        }
    }

    @Test func `bounds that nothing could keep are refused where they are set`() async throws {
        let changes: [(inout LedgerConfiguration) -> Void] = [
            { $0.runningMax = -1 }, { $0.runningPerHostMax = -1 }, { $0.queuedMax = -1 }, { $0.silenceMax = .zero },
            { $0.silenceMax = .seconds(-1) },
        ]
        try await AppFixture.run { app in
            for change in changes {
                var configuration = LedgerConfiguration()
                change(&configuration)
                let home = URL(filePath: app.root.string + "/other")
                let refused = configuration
                await #expect { try await DownloadLedger.open(at: home, configuration: refused) } throws: {
                    ($0 as? DownloadError)?.code == "usage"
                }
            }
            await #expect { try await app.ledger.limit(runningMax: -1) } throws: {
                ($0 as? DownloadError)?.code == "usage"
            }
            try await app.ledger.limit(runningMax: 0)
        }
    }

    @Test func `whoever closes it again waits until it is closed, and waits without end are taken`() async throws {
        try await AppFixture.run { app in
            let home = URL(filePath: app.path("other"))
            var configuration = LedgerConfiguration()
            configuration.retries = .exponential(cap: .seconds(Int64.max))
            let ledger = try await DownloadLedger.open(at: home, configuration: configuration)
            await withTaskGroup(of: Void.self) { group in for _ in 0..<4 { group.addTask { await ledger.close() } } }
            let again = try await DownloadLedger.open(at: home, configuration: configuration)
            let first = Task { await again.close() }
            await again.close()
            let last = try await DownloadLedger.open(at: home)
            await first.value
            await last.close()
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

    @Test func `a file that the disk does not reach is not there, and nothing is recorded of it`() async throws {
        try await AppFixture.run { app in
            app.serve("/a", [1, 2, 3])
            let url = try app.url("/a")
            let file = try await app.ledger.enqueue(url).value
            let (place, aside) = (file.deletingLastPathComponent(), URL(filePath: app.path("aside")))
            try FileManager.default.moveItem(at: place, to: aside)
            try Data().write(to: place)
            #expect(try await app.ledger.localURL(for: url) == nil)
            #expect(try await app.ledger.playbackURL(for: url) == url)
            try FileManager.default.removeItem(at: place)
            try FileManager.default.moveItem(at: aside, to: place)
            #expect(try await app.ledger.localURL(for: url) == file)
        }
    }

    @Test func `an entry is played by its own file or address, also where addresses differ in a secret alone`()
        async throws
    {
        try await AppFixture.run { app in
            app.origin.on("/f") { request in OriginEntity(Array(request.target.utf8)).reply(to: request) }
            let items = (0...2).map {
                "<item><title>\($0)</title><guid>\($0)</guid><enclosure url='/f?sid=\($0)' length='1'/></item>"
            }
            let text = "<rss version='2.0'><channel><title>T</title>\(items.joined())</channel></rss>"
            app.serve("/feed.xml", Array(text.utf8))
            let listing = try await app.ledger.follow(app.url("/feed.xml"), Listing.Following(.feed))
            let entries = try await app.ledger.entries(of: listing.id).sorted { $0.title ?? "" < $1.title ?? "" }
            #expect(entries.map(\.title) == ["0", "1", "2"])
            let file = try await app.ledger.enqueue(entries[2]).value
            let again = try await app.ledger.entries(of: listing.id).sorted { $0.title ?? "" < $1.title ?? "" }
            #expect(try await app.ledger.playbackURL(of: again[2]) == file)
            #expect(try app.contents(file) == Array("/f?sid=2".utf8))
            #expect(try await app.ledger.playbackURL(of: again[0]) == app.url("/f?sid=0"))
            #expect(try await app.ledger.refresh().map(\.entryCount) == [3])
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
