import LedgerModel
import Testing

/// RFC 3986, section 5.4: what a reference means at `http://a/b/c/d;p?q`.
struct URLResolvingTests {
    static let base = ResourceURL(recorded: "http://a/b/c/d;p?q")

    static let normal: [(String, String)] = [
        ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"), ("/g", "http://a/g"),
        ("//g", "http://g/"), ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"), ("#s", "http://a/b/c/d;p?q"),
        ("g#s", "http://a/b/c/g"), ("g?y#s", "http://a/b/c/g?y"), (";x", "http://a/b/c/;x"),
        ("g;x", "http://a/b/c/g;x"),
        ("g;x?y#s", "http://a/b/c/g;x?y"), (".", "http://a/b/c/"), ("./", "http://a/b/c/"), ("..", "http://a/b/"),
        ("../", "http://a/b/"), ("../g", "http://a/b/g"), ("../..", "http://a/"), ("../../", "http://a/"),
        ("../../g", "http://a/g"),
    ]

    static let abnormal: [(String, String)] = [
        ("../../../g", "http://a/g"), ("../../../../g", "http://a/g"), ("/./g", "http://a/g"), ("/../g", "http://a/g"),
        ("g.", "http://a/b/c/g."), (".g", "http://a/b/c/.g"), ("g..", "http://a/b/c/g.."), ("..g", "http://a/b/c/..g"),
        ("./../g", "http://a/b/g"), ("./g/.", "http://a/b/c/g/"), ("g/./h", "http://a/b/c/g/h"),
        ("g/../h", "http://a/b/c/h"), ("g;x=1/./y", "http://a/b/c/g;x=1/y"), ("g;x=1/../y", "http://a/b/c/y"),
        ("g?y/./x", "http://a/b/c/g?y/./x"), ("g?y/../x", "http://a/b/c/g?y/../x"), ("g#s/./x", "http://a/b/c/g"),
        ("g#s/../x", "http://a/b/c/g"),
    ]

    static let everyday: [(String, String)] = [
        ("https://other:8443/x", "https://other:8443/x"), ("HTTP://OTHER", "http://other/"),
        ("a b", "http://a/b/c/a%20b"),
        ("./a:b", "http://a/b/c/a:b"), ("a?u=http://x", "http://a/b/c/a?u=http://x"), ("//g:81/x", "http://g:81/x"),
        ("  /g  ", "http://a/g"), ("/ü", "http://a/%C3%BC"),
    ]

    @Test(arguments: normal + abnormal + everyday) func `a reference means`(_ reference: String, _ expected: String)
        throws
    {
        #expect(try Self.base.resolving(reference).url.text == expected)
    }

    static let refused: [(String, URLProblem)] = [
        ("", .empty), ("g:h", .unsupportedScheme("g")), ("file:///etc/passwd", .unsupportedScheme("file")),
        ("http:g", .noHost), ("//", .noHost), ("//a b/", .badHost("a b")),
        ("javascript:x", .unsupportedScheme("javascript")),
    ]

    @Test(arguments: refused) func `a reference that can not be followed`(_ reference: String, _ problem: URLProblem) {
        #expect(throws: problem) { try Self.base.resolving(reference) }
    }

    @Test func `the scheme, the port and the user of a network path`() throws {
        let base = try ResourceURL.parse("https://a:8443/x").url
        #expect(try base.resolving("y").url.text == "https://a:8443/y")
        let other = try base.resolving("//u:p@b/z")
        #expect(other.url.text == "https://b/z")
        #expect(other.userInformation == "u:p")
    }
}
