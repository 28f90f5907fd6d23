import LedgerFeeds
import LedgerModel
import Testing

/// Atom (RFC 4287).
struct AtomTests {
    @Test func `a feed`() throws {
        let listing = try Samples.read(Samples.atom)
        #expect(listing.format == .atom)
        #expect(listing.title == "A fine feed")
        #expect(listing.details == "All of it")
        #expect(listing.image == "https://media.example.org/atom/logo.png")
        #expect(listing.next == "https://media.example.org/atom/feed.atom?page=2")
        #expect(listing.passedOver == 1)
        #expect(
            listing.entries == [
                ListedEntry(
                    guid: "urn:uuid:1225c695-cfb8-4ebb-aaaa-80da344efa6a",
                    url: ResourceURL(recorded: "https://media.example.org/atom/videos/one.mp4"),
                    title: "If a<b then", details: "1 < 2", mediaType: "video/mp4", length: 1337,
                    published: Timestamp(rfc3339: "2024-05-01T10:00:00Z")),
                ListedEntry(
                    guid: "urn:3", url: ResourceURL(recorded: "https://media.example.org/atom/3.webm"),
                    title: "Third", details: "Number three", mediaType: "video/webm", length: 77,
                    published: Timestamp(rfc3339: "2024-05-03T00:00:00Z"),
                    thumbnail: "https://media.example.org/atom/3.jpg", durationSeconds: 61),
            ])
    }

    @Test func `any prefix will do, and content of other types is not read`() throws {
        let listing = try Samples.read(
            """
            <a:feed xmlns:a="http://www.w3.org/2005/Atom"><a:entry><a:id>1</a:id>
            <a:content type="image/png">iVBORw0KGgo=</a:content><a:title>T</a:title>
            <a:link rel="related enclosure" href="x"/></a:entry></a:feed>
            """)
        #expect(
            listing.entries == [
                ListedEntry(guid: "1", url: ResourceURL(recorded: "https://example.org/feeds/x"), title: "T")
            ])
    }

    @Test func `a base that leads nowhere is passed over`() throws {
        let listing = try Samples.read(
            """
            <feed xmlns="http://www.w3.org/2005/Atom" xml:base="ftp://x/"><entry xml:base="https://b.example/c/">
            <link rel="enclosure" href="d"/></entry><entry><link rel="enclosure" href="e"/></entry></feed>
            """)
        #expect(listing.entries.map(\.url.text) == ["https://b.example/c/d", "https://example.org/feeds/e"])
    }

    @Test func `blocks part words and marks within words do not`() throws {
        let listing = try Samples.read(
            """
            <feed xmlns="http://www.w3.org/2005/Atom"><subtitle type="xhtml">
            <div><p>One</p>two <b>th</b>ree<p>4</p></div></subtitle></feed>
            """)
        #expect(listing.details == "One two three 4")
    }
}
