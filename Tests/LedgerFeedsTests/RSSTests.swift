import LedgerFeeds
import LedgerModel
import Testing

/// RSS in its versions, with what podcasts and Media RSS add.
struct RSSTests {
    @Test func `a podcast`() throws {
        let listing = try Samples.read(Samples.podcast, mediaType: "text/html")
        #expect(listing.format == .rss)
        #expect(listing.title == "Tom & Jerry’s Show")
        #expect(listing.details == "Cats & mice, every week.")
        #expect(listing.image == "https://example.org/cover.jpg")
        #expect(listing.next == "https://example.org/feeds/show.xml?page=2")
        #expect(listing.passedOver == 1)
        #expect(
            listing.entries == [
                ListedEntry(
                    guid: "show-0002", url: ResourceURL(recorded: "https://cdn.example.org/2.mp3?a=1&b=2"),
                    title: "2: The Big Cheese", details: "What happens next…", mediaType: "audio/mpeg",
                    length: 24_986_239, published: Timestamp(rfc3339: "2002-10-02T13:00:00Z"),
                    thumbnail: "https://example.org/2.jpg", order: 30_012, durationSeconds: 3723),
                ListedEntry(
                    guid: "https://example.org/feeds/1.m4a",
                    url: ResourceURL(recorded: "https://example.org/feeds/1.m4a"),
                    title: "1: The Small Cheese", details: "Only the long one.", mediaType: "audio/x-m4a"),
            ])
    }

    @Test func `RSS 1.0 has its items beside the channel`() throws {
        let listing = try Samples.read(
            """
            <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"
                xmlns:enc="http://purl.oclc.org/net/rss_2.0/enc#" xmlns:dc="http://purl.org/dc/elements/1.1/">
              <channel rdf:about="https://example.org/"><title>Old</title>
                <items><rdf:Seq><rdf:li resource="urn:1"/></rdf:Seq></items></channel>
              <image><title>no</title><url>/old.gif</url></image>
              <item rdf:about="urn:1"><title>One</title><dc:date>2003-04-05T06:07+01:00</dc:date>
                <enc:enclosure rdf:resource="/1.ogg" enc:type="audio/ogg" enc:length="5"/></item>
            </rdf:RDF>
            """)
        #expect(listing.format == .rss)
        #expect(listing.title == "Old")
        #expect(listing.image == "https://example.org/old.gif")
        let entry = try #require(listing.entries.first)
        #expect(entry.guid == "urn:1")
        #expect(entry.mediaType == "audio/ogg")
        #expect(entry.length == 5)
        #expect(entry.published?.rfc3339 == "2003-04-05T05:07:00.000Z")
    }

    @Test func `RSS 0.91 with its document type`() throws {
        let listing = try Samples.read(
            """
            <?xml version="1.0"?>
            <!DOCTYPE rss PUBLIC "-//Netscape Communications//DTD RSS 0.91//EN"
              "http://my.netscape.com/publish/formats/rss-0.91.dtd" [ <!-- it's > "odd --> <!ENTITY x "]>"> ]>
            <rss version="0.91"><channel><title>Caf&eacute;&nbsp;&x;</title>
            <item><enclosure url="http://example.org/a.mp3"/></item></channel></rss>
            """)
        #expect(listing.title == "Café &x;")
        #expect(listing.entries.count == 1)
    }

    @Test func `of several enclosures the first that plays counts`() throws {
        let entries = try Samples.items(
            """
            <item><enclosure url="/a.pdf" type="application/pdf"/><enclosure url="/a.mp3" type="audio/mpeg"/>
              <enclosure url="/a.mp4" type="video/mp4"/></item>
            <item><enclosure url="/b.pdf"/><enclosure url="/b.zip"/></item>
            <item><enclosure url="/c.pdf"/><enclosure url="/c.MKV" type="application/octet-stream"/></item>
            <item><enclosure url="magnet:?xt=urn:btih:1" type="video/mp4"/><enclosure url="/d.zip"/></item>
            """)
        #expect(entries.map(\.url.lastPathComponent) == ["a.mp3", "b.pdf", "c.MKV", "d.zip"])
    }

    @Test func `Media RSS is a fallback`() throws {
        let entries = try Samples.items(
            """
            <item><media:content url="/a.mp4" type="video/mp4"/><enclosure url="/a.torrent" length="12"/></item>
            <item xmlns:x="http://search.yahoo.com/mrss"><title/><x:group>
              <x:content url="/b.jpg" medium="image"/>
              <x:content url="/b.mp4" fileSize="9" duration="2.7"><x:title>In it</x:title></x:content>
              </x:group></item>
            """)
        #expect(entries.map(\.url.lastPathComponent) == ["a.torrent", "b.mp4"])
        #expect(entries.last?.title == "In it")
        #expect(entries.last?.durationSeconds == 2)
        #expect(entries.last?.length == 9)
    }

    @Test func `a namespace counts, and not its prefix`() throws {
        let entry = try Samples.entry(
            """
            <p:duration xmlns:p="http://www.itunes.com/DTDs/Podcast-1.0.dtd">90</p:duration>
            <itunes:episode xmlns:itunes="urn:another">4</itunes:episode>
            """)
        #expect(entry?.durationSeconds == 90)
        #expect(entry?.order == nil)
    }

    static let lengths: [(String, UInt64?)] = [
        ("1", 1), (" 42 ", 42), ("0", nil), ("-1", nil), ("", nil), ("1,000", nil), ("12 MB", nil),
        ("18446744073709551616", nil), ("18446744073709551615", nil), ("9223372036854775808", nil),
        ("9223372036854775807", FileIdentity.lengthMax),
    ]

    @Test(arguments: lengths) func `a length is a number above 0 that a file can have`(
        _ text: String, _ length: UInt64?
    ) throws {
        #expect(try Samples.items("<item><enclosure url='/a' length='\(text)'/></item>").first?.length == length)
    }

    @Test func `details come from the best source there is`() throws {
        let all = """
            <itunes:subtitle>subtitle</itunes:subtitle><itunes:summary>summary</itunes:summary>
            <content:encoded>encoded</content:encoded>
            """
        #expect(try Samples.entry(all + "<description>plain</description>")?.details == "plain")
        #expect(try Samples.entry(all + "<description> <![CDATA[<p></p>]]> </description>")?.details == "encoded")
        #expect(try Samples.entry("<itunes:subtitle>a</itunes:subtitle>")?.details == "a")
        #expect(try Samples.entry("<itunes:title>a</itunes:title>")?.title == "a")
    }

    @Test func `season and episode are an order`() throws {
        #expect(try Samples.entry("<itunes:episode> 7 </itunes:episode>")?.order == 7)
        #expect(try Samples.entry("<itunes:season>2</itunes:season>")?.order == nil)
        #expect(try Samples.entry("<itunes:episode>4294967296</itunes:episode>")?.order == nil)
        let most = "<itunes:season>4294967295</itunes:season><itunes:episode>4294967295</itunes:episode>"
        #expect(try Samples.entry(most)?.order == 4_294_967_295 * 10_001)
    }

    @Test func `an entry that stands twice counts once`() throws {
        let listing = try Samples.rss(
            """
            <item><guid>a</guid></item><item><guid>a</guid><title>1</title><enclosure url="/1"/></item>
            <item><guid> a </guid><title>2</title><enclosure url="/2"/></item>
            <item><enclosure url="/3"/></item><item><guid/><enclosure url="/3#x"/></item>
            """)
        #expect(listing.entries.map(\.guid) == ["a", "https://example.org/3"])
        #expect(listing.entries.first?.title == "1")
        #expect(listing.passedOver == 3)
    }

    @Test func `user information of a URL is dropped`() throws {
        let entries = try Samples.items("<item><enclosure url='https://u:p@example.org/a?token=x&y=z'/></item>")
        #expect(entries.first?.url.text == "https://example.org/a?token=x&y=z")
        #expect(entries.first?.guid == "https://example.org/a?token=x&y=z")
    }
}
