import AppTestSupport
import DownloadLedger
import FoundationEssentials
import LedgerTestSupport
import Testing

/// What an app kept of each download in its own defaults.
struct SavedDownload: Codable {
    var url: URL
    var mirrors: [URL] = []
    /// The app's own name for it.
    var id: String
    var show: String
    var isPaused = false
    /// The finished file, below the directory of files; nil while there is none.
    var file: String?
}

/// Enqueues what an app had, and returns what could not be.
func move(_ saved: Data, files: URL, into ledger: DownloadLedger) async throws -> [DownloadError] {
    let requests = try PropertyListDecoder().decode([SavedDownload].self, from: saved).map { saved in
        var options = DownloadOptions(group: saved.show, identifier: saved.id)
        options.mirrors = saved.mirrors
        options.isPaused = saved.isPaused
        guard let file = saved.file else { return DownloadRequest(saved.url, options: options) }
        // It is here already: it is hashed and taken for the finished file.
        options.collision = .skip
        return DownloadRequest(saved.url, to: files.appending(path: file), options: options)
    }
    return try await ledger.enqueue(requests).compactMap { answer in
        if case .failure(let error) = answer { error } else { nil }
    }
}

/// What older systems write into `resumeData`: a property list.
struct ResumeData: Decodable {
    let url: String

    enum CodingKeys: String, CodingKey { case url = "NSURLSessionDownloadURL" }

    /// The URL that a blob is about; nil for one of another form.
    static func url(of blob: Data) -> URL? {
        do {
            return URL(string: try PropertyListDecoder().decode(ResumeData.self, from: blob).url)
        } catch { return nil }
    }
}

/// The examples of how an app comes here from `UserDefaults` and `resumeData`.
struct MovingExamples {
    @Test func `a saved queue and its files are taken over, twice without harm`() async throws {
        try await AppFixture.run(naming: .groupAndIdentifier) { app in
            let (ledger, files) = (app.ledger, app.directory("files"))
            app.serve("/mirror/2.mp3", OriginEntity.pattern(2000))
            try app.write(OriginEntity.pattern(1000), to: files.appending(path: "radio/e-1.mp3"))
            let saved = try PropertyListEncoder().encode([
                SavedDownload(url: try app.url("/1.mp3"), id: "e-1", show: "radio", file: "radio/e-1.mp3"),
                SavedDownload(
                    url: try app.url("/2.mp3"), mirrors: [try app.url("/mirror/2.mp3")], id: "e-2", show: "radio"),
                SavedDownload(url: try app.url("/3.mp3"), id: "e-3", show: "radio", isPaused: true),
                SavedDownload(url: try #require(URL(string: "ftp://example.org/4.mp3")), id: "e-4", show: "radio"),
            ])
            for _ in 1...2 {
                let refused = try await move(saved, files: files, into: ledger)
                #expect(refused.map(\.code) == ["bad-url"])
            }
            let downloads = try await ledger.downloads()
            #expect(downloads.count == 3 && downloads.map(\.identifier) == ["e-1", "e-2", "e-3"])
            let first = try await ledger.handle(for: downloads[0].id).value
            #expect(first == files.appending(path: "radio/e-1.mp3"))
            #expect(try app.contents(try await ledger.handle(for: downloads[1].id).value)?.count == 2000)
            #expect(try await ledger.download(downloads[2].id)?.state == .paused)
            #expect(!app.origin.requests.contains { $0.path == "/1.mp3" })
        }
    }

    @Test func `the URL of a blob is found, if it has the older form`() throws {
        let blob = try PropertyListEncoder().encode([
            "NSURLSessionDownloadURL": "https://example.org/a.mp3",
            "NSURLSessionResumeInfoTempFileName": "CFNetwork.tmp",
        ])
        #expect(ResumeData.url(of: blob)?.lastPathComponent == "a.mp3")
        #expect(ResumeData.url(of: Data([1, 2, 3])) == nil)
    }
}
