import LedgerModel
import Testing

@testable import LedgerTransfer

/// What a `Set-Cookie` field sets, and where it goes (RFC 6265, sections 5.2 and 5.4).
struct CookieTests {
    private static let now = Timestamp(milliseconds: 1_700_000_000_000)

    @Test(
        arguments: [
            ("a=1", "http://a.example.org/dir/other", true), ("a=1", "http://a.example.org/else", false),
            ("a=1; Path=/", "http://a.example.org/else", true), ("a=1; path=/di", "http://a.example.org/dir", false),
            ("a=1; Path=/", "http://b.example.org/", false), ("a=1; Path=/", "http://x.a.example.org/", false),
            ("a=1; Path=/; Domain=.Example.org", "http://b.example.org/", true),
            ("a=1; Path=/; Domain=a.example.org", "http://x.a.example.org/", true),
            ("a=1; Path=/; Domain=example.org", "http://example.org.evil/", false),
            ("a=1; Path=/; Secure", "http://a.example.org/", false),
            ("a=1; Path=/; secure; HttpOnly; Max-Age=1", "https://a.example.org/", true),
        ] as [(String, String, Bool)])
    func `a cookie that was set goes where it belongs`(field: String, url: String, goes: Bool) throws {
        let cookie = try #require(
            Cookie(field, setBy: try ResourceURL.parse("http://a.example.org/dir/file").url, now: Self.now))
        #expect(cookie.pair == "a=1" && cookie.name == "a")
        #expect(cookie.fits(try ResourceURL.parse(url).url) == goes)
    }

    @Test(arguments: [
        "", "a", "=1", ";a=1", "a=1; Domain=org", "a=1; Domain=other.org", "a=1; Domain=b.a.example.org", "a=\u{1}",
    ])
    func `what sets none, or one of another's, is passed over`(field: String) throws {
        #expect(Cookie(field, setBy: try ResourceURL.parse("http://a.example.org/").url, now: Self.now) == nil)
    }

    @Test(
        arguments: [
            ("a=; Max-Age=0", true), ("a=1; max-age=-1", true), ("a=1; Max-Age=60", false), ("a=1; Max-Age=x", false),
            ("a=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT", true), ("a=1; Expires=Thu, 01 Jan 2099 00:00:00 GMT", false),
            ("a=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Max-Age=9", false), ("a=1; Expires=soon", false),
        ] as [(String, Bool)])
    func `one that is over takes back what was set`(field: String, isOver: Bool) throws {
        let cookie = Cookie(field, setBy: try ResourceURL.parse("http://a.example.org/").url, now: Self.now)
        #expect(cookie?.isOver == isOver)
    }

    @Test func `an address has nothing below it`() throws {
        let cookie = Cookie("a=1; Domain=0.0.1", setBy: try ResourceURL.parse("http://127.0.0.1/").url, now: Self.now)
        #expect(cookie == nil)
    }
}
