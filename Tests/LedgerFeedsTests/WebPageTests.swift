import LedgerFeeds
import LedgerModel
import Testing

/// Pages, which people give when they mean a feed.
struct WebPageTests {
    static let pages = [
        "<!DOCTYPE html><html><head></head></html>", "<!doctype HTML>\n<p>x", "<html>", "<HTML lang=en>",
        "\n<!-- x -->\n<html/>", "<head><title>x</title>", "<h1>404</h1>",
        "<?xml version=\"1.0\"?>\n<!DOCTYPE html PUBLIC \"-//W3C//DTD XHTML 1.0//EN\" \"x\">\n<html xmlns=\"x\"/>",
        "<script>location = '/'</script>",
    ]

    @Test(arguments: pages) func `a page is no feed`(_ text: String) {
        #expect(
            Samples.problem(of: text)
                == ListingProblem(
                    "this is a web page and not a feed",
                    next: "look on the page for the address of its feed (RSS, Atom)"))
    }

    @Test func `a page that names its feed is told by that`() {
        let problem = Samples.problem(
            of: """
                <!DOCTYPE html><html><head><meta charset=utf-8>
                <link rel=stylesheet href=x.css><link rel="alternate" hreflang="de" href="/de/">
                <link rel="alternate" type="application/rss+xml" href="ftp://example.org/">
                <LINK REL='Alternate' title="a > b" TYPE='application/rss+xml' href='../rss?a=1&amp;token=s3cret' />
                <link rel="alternate" type="application/atom+xml" href="/atom">
                """)
        #expect(problem?.next == "take the address of its feed: https://example.org/rss?a=1&token=REDACTED")
    }

    @Test func `other XML is named`() {
        let problem = Samples.problem(of: "<?xml version='1.0'?><urlset><url/></urlset>")
        #expect(problem?.message == "this is XML, but no feed: its outermost element is 'urlset'")
    }
}
