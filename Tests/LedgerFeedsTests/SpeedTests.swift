import LedgerFeeds
import Testing

/// Whatever a document holds, reading it ends, and soon: time grows with its length and no faster.
@Suite(.serialized) struct SpeedTests {
    /// What a document starts with, and what stands in it 50,000 times.
    static let shapes: [String: (head: String, part: String)] = [
        "tags": ("<rss><channel>", "<a/>"), "items": ("<rss><channel>", "<item/>"),
        "prefixes": ("<rss><channel>", "<a xmlns:b='c'/>"), "attributes": ("<rss ", "a='' "),
        "references": ("<rss><channel><title>", "&"), "open tags": ("<rss><channel><title>", "&lt;a"),
        "quotes": ("<rss><channel><title>", "&lt;a b=\""), "comments": ("<rss><channel><title>", "&lt;!--"),
        "marks": ("<rss><channel><title>e", "\u{301}"), "CDATA": ("<rss><![CDATA[", "]]"),
        "document type": ("<!DOCTYPE a [", "'<!--"), "page": ("<html>", "<link rel=alternate "),
        "brackets": ("", "["), "objects": ("[", "{},"),
    ]

    // By its name: a test that fails prints its arguments.
    @Test(arguments: shapes.keys.sorted()) func `a hostile shape is over soon`(_ name: String) throws {
        let (head, part) = try #require(Self.shapes[name])
        let text = head + String(repeating: part, count: 50_000)
        let clock = ContinuousClock()
        let start = clock.now
        _ = Samples.problem(of: text)
        // In a debug build on a busy machine; what grows with the square takes minutes.
        #expect(start.duration(to: clock.now) < .seconds(20))
    }
}
