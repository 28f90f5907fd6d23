import LedgerFeeds
import LedgerModel
import Testing

/// Documents that mean harm, and the bounds that stop them.
struct HostileTests {
    @Test func `a document that is too long is refused unread`() {
        let bytes = [UInt8](repeating: 32, count: ListingReader.documentBytesMax + 1)
        let problem = #expect(throws: ListingProblem.self) {
            try ListingReader.read(bytes, mediaType: nil, base: Samples.base)
        }
        #expect(problem?.message == "the document has 16777217 bytes, and 16777216 are the most")
    }

    @Test func `entries beyond the bound are counted`() throws {
        let items = (0..<ListingReader.entriesMax + 5).map { "<item><enclosure url='/\($0)'/></item>" }
        let listing = try Samples.rss(items.joined())
        #expect(listing.entries.count == ListingReader.entriesMax)
        #expect(listing.entries.last?.guid == "https://example.org/\(ListingReader.entriesMax - 1)")
        #expect(listing.passedOver == 5)
    }

    @Test func `texts are cut, and a guid that is too long is passed over`() throws {
        let long = String(repeating: "ä", count: 400_000)
        let entry = try #require(try Samples.entry("<title>\(long)</title><description>x\(long)</description>"))
        #expect(entry.title?.utf8.count == ListingReader.titleBytesMax)
        #expect(entry.details?.utf8.count == ListingReader.detailsBytesMax - 1)
        let most = String(repeating: "g", count: ListingReader.guidBytesMax)
        #expect(try Samples.entry("<guid>\(most)</guid>")?.guid == most)
        #expect(try Samples.entry("<guid>\(most)g</guid>") == nil)
        #expect(try Samples.entry("<guid>\(long)</guid>") == nil)
        let url = String(repeating: "u", count: ResourceURL.bytesMax)
        #expect(try Samples.rss("<item><guid>1</guid><enclosure url='/\(url)'/></item>").passedOver == 1)
    }

    @Test func `only so many enclosures of an entry are looked at`() throws {
        let pictures = String(repeating: "<enclosure url='/a.jpg'/>", count: 19)
        let sounds = "<enclosure url='/b.mp3'/>"
        #expect(try Samples.items("<item>\(pictures + sounds)</item>").first?.url.path == "/b.mp3")
        let late = try Samples.items("<item>\(pictures)<enclosure url='/c.jpg'/>\(sounds)</item>")
        #expect(late.first?.url.path == "/a.jpg")
    }

    @Test func `a billion laughs are none`() throws {
        var entities = "<!ENTITY l0 \"lol\">"
        for level in 1...9 {
            entities += "<!ENTITY l\(level) \"" + String(repeating: "&l\(level - 1);", count: 10) + "\">"
        }
        let listing = try Samples.read(
            """
            <!DOCTYPE rss [\(entities)]>
            <rss><channel><title>&l9;</title><item><enclosure url='/&l9;'/></item></channel></rss>
            """
        )
        #expect(listing.title == "&l9;")
        #expect(listing.entries.first?.url.path == "/&l9;")
    }

    @Test func `no file and no network is read for an entity`() throws {
        let listing = try Samples.read(
            """
            <!DOCTYPE rss [<!ENTITY f SYSTEM "file:///etc/hostname"> <!ENTITY % p SYSTEM "http://127.0.0.1:9/x"> %p;]>
            <rss><channel><title>[&f;]</title></channel></rss>
            """)
        #expect(listing.title == "[&f;]")
    }

    static let refused: [(String, String)] = [
        ("<rss>" + String(repeating: "<a>", count: 64), "more than 64 elements in one another"),
        ("<rss " + (0..<65).map { "a\($0)='' " }.joined() + "/>", "more than 64 attributes of 'rss'"),
        ("<rss " + (0..<60).map { "xmlns:a\($0)='' " }.joined() + "/>", "more than 64 prefixes"),
        ("<" + String(repeating: "a", count: 257) + "/>", "a name is expected here"),
        ("<rss a='1' a='2'/>", "line 1: the attribute 'a' stands twice"),
        ("<rss>\n<channel>\n<item>\n</channel>", "line 4: '</channel>' stands where 'item' of line 3 is to be closed"),
        ("<rss>\n<channel>\n<item>", "ends in line 3, inside 'item', which starts in line 3"),
        ("<rss><channel><title>a < b</title>", "line 1: a name is expected here"),
        ("<rss>\n<channel a>", "line 2: the attribute 'a' has no value"),
        ("<rss a=b>", "the value of 'a' has no quotes"),
        ("<rss a='<'>", "the value of 'a' holds '<'"), ("<rss a='b'c='d'>", "the tag of 'rss' can not be read"),
        ("<rss><!-- x", "ends in line 1, inside what '<!--' starts in line 1"),
        ("<rss><![CDATA[ x", "inside what '<![CDATA[' starts"), ("<rss", "ends in line 1, inside a tag"),
        ("<rss a", "inside a tag"), ("<rss a=", "inside a tag"), ("<rss a='x", "inside the value of 'a'"),
        ("<!DOCTYPE rss [ <!ENTITY x '", "inside its document type"),
        ("<?xml version='1.0'?>", "the XML holds no element"),
        ("</rss>", "'</rss>' closes nothing"), ("<rss></rss x>", "the end tag of 'rss' can not be read"),
        ("<", "inside a tag"), ("<>", "a name is expected here"), ("<1/>", "a name is expected here"),
    ]

    @Test(arguments: refused) func `XML that is damaged says where and how`(_ text: String, _ reason: String) throws {
        let problem = try #require(Samples.problem(of: text))
        #expect(problem.message.contains(reason))
        #expect(problem.next != nil)
    }

    @Test func `what is only untidy is read`() throws {
        let listing = try Samples.read(
            """
             <?xml version='1.0'?><!-- a -- b --><rss><channel><title>Q&A &nosuch; ]]></title><p:x/>
            <item><enclosure url="/x?a=1&b=2"/></item></channel></rss>
            <!-- took 0.3 s --> <junk>
            """)
        #expect(listing.title == "Q&A &nosuch; ]]>")
        #expect(listing.entries.first?.url.query == "a=1&b=2")
    }
}
