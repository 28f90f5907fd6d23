import LedgerModel
import LedgerTransfer
import Testing

/// Which cookies a request carries (RFC 6265, section 5.4).
struct CookieFileTests {
    private static let now = Timestamp(milliseconds: 1_000_000_000)
    private static let text = """
        # Netscape HTTP Cookie File
        example.org\tFALSE\t/\tFALSE\t0\thost\t1
        .example.org\tTRUE\t/\tFALSE\t2000000\tbelow\t2
        example.org\tTRUE\t/a\tFALSE\t0\tdeep\t3
        example.org\tTRUE\t/\tTRUE\t0\tsafe\t4
        example.org\tTRUE\t/\tFALSE\t1000000\told\t5
        #HttpOnly_.example.org\tTRUE\t/a/b/\tFALSE\t0\thidden\t6=7
        other.org\tTRUE\t/\tFALSE\t0\tother\t8
        127.0.0.1\tTRUE\t/\tFALSE\t0\taddress\t9
        example.org\tTRUE\t/\tFALSE\t0\tbad;name\tx
        example.org\tTRUE\t/empty\tFALSE\t0\tempty\t
        not a cookie
        """

    @Test(
        arguments: [
            ("http://example.org/", "host=1; below=2"), ("https://example.org/", "host=1; below=2; safe=4"),
            ("http://www.example.org/", "below=2"), ("http://notexample.org/", nil),
            ("http://example.org/a", "deep=3; host=1; below=2"), ("http://example.org/ab", "host=1; below=2"),
            ("http://example.org/a/b/c", "hidden=6=7; deep=3; host=1; below=2"),
            ("http://example.org/empty", "empty=; host=1; below=2"), ("http://other.org/", "other=8"),
            ("http://127.0.0.1/", "address=9"),
        ] as [(String, String?)])
    func `each cookie goes where it belongs, the longest path first`(url: String, field: String?) throws {
        let cookies = try #require(CookieFile(parsing: Self.text, now: Self.now))
        #expect(cookies.field(for: try ResourceURL.parse(url).url) == field)
    }

    @Test func `a file of something else is none, and an empty one is one`() {
        #expect(CookieFile(parsing: "[{\"name\": \"a\"}]\n", now: Self.now) == nil)
        #expect(CookieFile(parsing: "# Netscape HTTP Cookie File\n\n", now: Self.now) != nil)
        #expect(CookieFile(parsing: "", now: Self.now) != nil)
    }

    @Test func `a field stays within its bound`() throws {
        let line = { (index: Int) in "a.org\tTRUE\t/\tFALSE\t0\tn\(index)\t" + String(repeating: "x", count: 3000) }
        let cookies = try #require(CookieFile(parsing: (0..<9).map(line).joined(separator: "\r\n"), now: Self.now))
        let field = try #require(cookies.field(for: try ResourceURL.parse("http://a.org/").url))
        #expect(field.utf8.count <= CookieFile.fieldBytesMax && field.hasPrefix("n0=") && field.contains("; n1="))
    }
}
