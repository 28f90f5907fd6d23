import LedgerFeeds
import LedgerModel
import Testing

/// JSON Feed, and catalogs.
struct JSONTests {
    @Test func `a JSON Feed`() throws {
        let listing = try Samples.read(
            Samples.jsonFeed, base: ResourceURL(recorded: "https://example.org/feeds/1.json"))
        #expect(listing.format == .jsonFeed)
        #expect(listing.title == "The Record")
        #expect(listing.details == "Of <things>")
        #expect(listing.image == "https://example.org/feeds/icon.png")
        #expect(listing.next == "https://example.org/feeds/2.json")
        #expect(listing.passedOver == 2)
        #expect(
            listing.entries == [
                ListedEntry(
                    guid: "7", url: ResourceURL(recorded: "https://cdn.example.org/7.mp3"), title: "Seven",
                    details: "Hello, world", mediaType: "audio/mpeg", length: 89_970_236,
                    published: Timestamp(rfc3339: "2024-02-29T18:00:00Z"),
                    thumbnail: "https://example.org/feeds/7.jpg", durationSeconds: 6629),
                ListedEntry(
                    guid: "9", url: ResourceURL(recorded: "https://example.org/feeds/9.pdf"), details: "short",
                    mediaType: "application/pdf", published: Timestamp(rfc3339: "2024-03-01T00:00:00Z")),
            ])
    }

    @Test func `a catalog`() throws {
        let listing = try Samples.read(Samples.catalog)
        #expect(listing.format == .catalog)
        #expect(listing.title == "Course")
        #expect(listing.details == "Learn & do")
        #expect(listing.image == "https://example.org/feeds/course.png")
        #expect(listing.passedOver == 2)
        #expect(
            listing.entries == [
                ListedEntry(
                    guid: "l1", url: ResourceURL(recorded: "https://example.org/v/1.mp4"), title: "Lesson 1",
                    details: "First", mediaType: "video/mp4", length: 1000,
                    published: Timestamp(rfc3339: "2024-01-02T00:00:00Z"), group: "Basics",
                    thumbnail: "https://example.org/feeds/1.jpg", order: 1),
                ListedEntry(
                    guid: "l2", url: ResourceURL(recorded: "https://example.org/feeds/2.mp4"), title: "Lesson 2",
                    length: 2000, published: Timestamp(rfc3339: "2024-01-02T03:04:05Z"), group: "Basics", order: 2,
                    durationSeconds: 605),
            ])
    }

    static let lists = ["items", "entries", "data", "lessons", "content", "catalog"]

    @Test(arguments: lists) func `the list of a catalog may have several names`(_ name: String) throws {
        #expect(try Samples.read("{\"\(name)\": [{\"url\": \"/a\"}]}").entries.count == 1)
        #expect(try Samples.read("{\"data\": {\"\(name)\": [{\"url\": \"/a\"}]}}").entries.count == 1)
    }

    @Test func `the list may be the document`() throws {
        let listing = try Samples.read(
            " \n[{\"fileUrl\": \"/a\", \"name\": 5, \"order\": -3, \"date\": 1704164645678}]")
        #expect(listing.title == nil)
        #expect(
            listing.entries == [
                ListedEntry(
                    guid: "https://example.org/a", url: ResourceURL(recorded: "https://example.org/a"), title: "5",
                    published: Timestamp(milliseconds: 1_704_164_645_678), order: -3)
            ])
        #expect(try Samples.read("[]").entries.isEmpty)
    }

    static let urls = [
        "url", "URL", "videoURL", "video_url", "video-url", "fileUrl", "downloadUrl", "audio_url", "mediaUrl",
        "contentUrl", "file", "href", "src",
    ]

    @Test(arguments: urls) func `the URL of an entry may have several names`(_ name: String) throws {
        #expect(try Samples.read("[{\"\(name)\": \"https://example.org/a\"}]").entries.count == 1)
    }

    @Test func `a member of another type is one that is missing`() throws {
        let listing = try Samples.read(
            """
            {"items": [{"id": {}, "title": [], "url": "/a", "size": -5, "order": 1.5, "date": true, "duration": "x",
            "thumbnail": "mailto:x@example.org", "type": 3}]}
            """)
        let url = ResourceURL(recorded: "https://example.org/a")
        #expect(listing.entries == [ListedEntry(guid: url.text, url: url)])
        for date in ["9223372036854775807", "-9223372036854775807", "253402300800000"] {
            let entry = try Samples.read("[{\"url\": \"/a\", \"date\": \(date)}]").entries.first
            #expect(entry != nil && entry?.published == nil, "no text tells it, and an export would say another")
        }
        let feed = try Samples.read("{\"version\": \"https://jsonfeed.org/version/1\", \"items\": 5, \"title\": {}}")
        #expect(feed.format == .jsonFeed)
        #expect(feed.entries.isEmpty)
    }

    @Test func `what is no list says where one is looked for`() {
        let problem = Samples.problem(of: "{\"error\": \"not found\"}")
        #expect(problem?.message == "this is JSON, but neither a JSON Feed nor a catalog: it holds no list of entries")
        #expect(problem?.next?.contains("items, entries, data") == true)
    }

    @Test func `JSON that is cut short says where`() {
        let problem = Samples.problem(of: "[{\"url\": \"/a\"}, {\"ur")
        #expect(problem?.message == "the JSON can not be read: a text does not end, at byte 20")
        #expect(problem?.next?.contains("cut short") == true)
    }

    @Test func `more values than fit are refused before they are read`() {
        let problem = Samples.problem(of: "[" + String(repeating: "0,", count: 1_000_001) + "0]")
        #expect(problem?.message == "the JSON holds more than 1000000 values")
        let commas = "[{\"url\": \"/a\", \"details\": \"\\\"" + String(repeating: ",", count: 1_000_001) + "\"}]"
        #expect(Samples.problem(of: commas) == nil)
        #expect(Samples.problem(of: String(repeating: "[", count: 100_000))?.message.contains("too deep") == true)
    }
}
