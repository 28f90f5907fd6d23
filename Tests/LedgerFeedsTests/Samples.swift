import LedgerFeeds
import LedgerModel

/// Documents as publishers write them, and short ways to read one.
enum Samples {
    static let base = ResourceURL(recorded: "https://example.org/feeds/show.xml")

    static func read(
        _ text: String, mediaType: String? = nil, base: ResourceURL = Samples.base
    ) throws(ListingProblem) -> ParsedListing {
        try ListingReader.read(Array(text.utf8), mediaType: mediaType, base: base)
    }

    /// The entries of an RSS feed with these items, each of which has an enclosure if it says so itself.
    static func items(_ items: String) throws(ListingProblem) -> [ListedEntry] { try rss(items).entries }

    static func rss(_ channel: String) throws(ListingProblem) -> ParsedListing {
        try read("<rss version='2.0'><channel>\(channel)</channel></rss>")
    }

    /// The one entry of an RSS feed whose item holds this beside an enclosure.
    static func entry(_ inside: String) throws(ListingProblem) -> ListedEntry? {
        try items("<item><enclosure url='/a.mp3'/>\(inside)</item>").first
    }

    static func problem(of text: String) -> ListingProblem? {
        do throws(ListingProblem) { _ = try read(text) } catch { return error }
        return nil
    }

    static let podcast = """
        <?xml version="1.0" encoding="UTF-8"?>
        <!-- generator="Castos" -->
        <rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"
            xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:atom="http://www.w3.org/2005/Atom">
        <channel>
          <title>Tom &amp; Jerry&#8217;s Show</title>
          <atom:link href="https://example.org/feeds/show.xml" rel="self" type="application/rss+xml"/>
          <atom:link href="show.xml?page=2" rel="next"/>
          <link>https://example.org/</link>
          <description><![CDATA[<p>Cats &amp; mice,<br/>every week.</p>]]></description>
          <language>en</language>
          <itunes:author>Nobody</itunes:author>
          <itunes:image href="https://example.org/cover.jpg"/>
          <item>
            <title>2: The <![CDATA[<b>Big</b> Cheese]]></title>
            <itunes:title>The Big Cheese</itunes:title>
            <guid isPermaLink="false">show-0002</guid>
            <link>https://example.org/2</link>
            <pubDate>Wed, 02 Oct 2002 08:00:00 EST</pubDate>
            <enclosure url="https://cdn.example.org/2.mp3?a=1&amp;b=2" length="24986239" type="audio/mpeg; x=y"/>
            <description>What &lt;i&gt;happens&lt;/i&gt; next&amp;hellip;</description>
            <content:encoded><![CDATA[<p>The long one.</p>]]></content:encoded>
            <itunes:duration>1:02:03</itunes:duration>
            <itunes:season>3</itunes:season><itunes:episode>12</itunes:episode>
            <itunes:image href="/2.jpg"/>
          </item>
          <item>
            <title>News without sound</title>
            <link>https://example.org/news</link>
            <guid>show-news</guid>
          </item>
          <item>
            <title>1: The Small Cheese</title>
            <enclosure url="1.m4a" length="0" type="audio/x-m4a" />
            <content:encoded><![CDATA[<p>Only the <em>long</em> one.</p>]]></content:encoded>
          </item>
        </channel>
        </rss>
        """

    static let atom = """
        <?xml version="1.0" encoding="utf-8"?>
        <feed xmlns="http://www.w3.org/2005/Atom" xml:base="https://media.example.org/atom/">
          <title type="html">A &lt;em&gt;fine&lt;/em&gt; feed</title>
          <subtitle>All of it</subtitle>
          <id>urn:feed</id><updated>2024-05-06T07:08:09Z</updated>
          <logo>logo.png</logo>
          <link rel="self" href="feed.atom"/><link rel="next" href="feed.atom?page=2"/>
          <entry xml:base="videos/">
            <id>urn:uuid:1225c695-cfb8-4ebb-aaaa-80da344efa6a</id>
            <title type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">If <b>a</b>&lt;b<br/>then</div></title>
            <link href="page.html"/>
            <link rel="enclosure" type="application/pdf" href="notes.pdf" length="10"/>
            <link rel="enclosure" type="video/mp4" href="one.mp4" length="1337"/>
            <summary>1 &lt; 2</summary>
            <content type="html">&lt;p&gt;long&lt;/p&gt;</content>
            <published>2024-05-01T12:00:00+02:00</published><updated>2024-05-02T12:00:00Z</updated>
            <source><id>urn:other</id><title>Another</title></source>
          </entry>
          <entry>
            <id>urn:2</id><title>Only a page</title><link href="https://example.org/page"/>
          </entry>
          <entry xmlns:m="http://search.yahoo.com/mrss/">
            <id>urn:3</id><title>Third</title><updated>2024-05-03T00:00:00Z</updated>
            <m:group><m:title>three</m:title><m:thumbnail url="3.jpg"/>
              <m:content url="3.webm" type="video/webm" fileSize="77" duration="61"/>
              <m:description>Number three</m:description></m:group>
          </entry>
        </feed>
        """

    static let jsonFeed = """
        {"version": "https://jsonfeed.org/version/1.1", "title": "The Record", "description": "Of <things>",
         "home_page_url": "https://example.org/", "icon": "icon.png", "next_url": "/feeds/2.json",
         "items": [
          {"id": 7, "url": "https://example.org/7", "title": "Seven", "content_html": "<p>Hello,&nbsp;<b>w</b>orld</p>",
           "image": "7.jpg", "date_published": "2024-02-29T10:00:00-08:00",
           "attachments": [
            {"url": "7.txt", "mime_type": "text/plain"},
            {"url": "https://cdn.example.org/7.mp3", "mime_type": "audio/mpeg", "size_in_bytes": 89970236,
             "duration_in_seconds": 6629.5}]},
          {"id": "8", "content_text": "nothing attached"},
          {"id": "9", "summary": "short", "content_text": "long", "date_modified": "2024-03-01",
           "attachments": [{"url": "9.pdf", "mime_type": "application/pdf", "size_in_bytes": 0}]},
          "no item"
         ]}
        """

    static let catalog = """
        {"title": "Course", "description": "Learn &amp; do", "image": "course.png", "lessons": [
          {"id": "l1", "name": "Lesson <b>1</b>", "details": "First", "videoURL": "/v/1.mp4", "type": "video/mp4",
           "group": "Basics", "thumbnail": "1.jpg", "order": 1, "size": 1000, "date": "2024-01-02"},
          {"uuid": "l2", "title": "Lesson 2", "url": "https://example.org/lesson/2", "download_url": "2.mp4",
           "type": "video", "section": "Basics", "position": "2", "fileSize": "2000", "createdAt": 1704164645,
           "duration": "10:05"},
          {"id": "l3", "name": "No file"}, 4
        ]}
        """
}

extension ListedEntry {
    /// An entry of these parts.
    init(
        guid: String, url: ResourceURL, title: String? = nil, details: String? = nil, mediaType: String? = nil,
        length: UInt64? = nil, published: Timestamp? = nil, group: String? = nil, thumbnail: String? = nil,
        order: Int64? = nil, durationSeconds: UInt32? = nil
    ) {
        self.init(guid: guid, url: url)
        self.title = title
        self.details = details
        self.mediaType = mediaType
        self.length = length
        self.published = published
        self.group = group
        self.thumbnail = thumbnail
        self.order = order
        self.durationSeconds = durationSeconds
    }
}
