import FoundationEssentials
import LedgerModel
import LedgerTestSupport
import Testing

/// What people, files and clients give as a URL.
struct URLParsingTests {
    struct Row: CustomTestStringConvertible {
        let text: String
        let expected: Result<String, URLProblem>
        let user: String?
        let location: SourceLocation

        init(
            _ text: String, _ expected: Result<String, URLProblem>, user: String? = nil,
            location: SourceLocation = #_sourceLocation
        ) { (self.text, self.expected, self.user, self.location) = (text, expected, user, location) }

        var testDescription: String { String(text.prefix(60)) }
    }

    static let normal: [Row] = [
        Row("http://example.org", .success("http://example.org/")),
        Row("HTTP://Example.ORG/Path", .success("http://example.org/Path")),
        Row("  https://example.org/a \n", .success("https://example.org/a")),
        Row("http://example.org:80/", .success("http://example.org/")),
        Row("https://example.org:443/", .success("https://example.org/")),
        Row("http://example.org:443/", .success("http://example.org:443/")),
        Row("http://example.org:00080/", .success("http://example.org/")),
        Row("http://example.org:/a", .success("http://example.org/a")),
        Row("http://example.org?q", .success("http://example.org/?q")),
        Row("http://example.org/?", .success("http://example.org/?")),
        Row("http://example.org/a#part", .success("http://example.org/a")),
        Row("http://example.org#part", .success("http://example.org/")),
        Row("http://example.org/a#\u{301}part", .success("http://example.org/a")),
        Row("http://example.org/a b?c d", .success("http://example.org/a%20b?c%20d")),
        Row("http://example.org/%7Ea%zz", .success("http://example.org/%7Ea%25zz")),
        Row("http://example.org/[1]%?a[]=%4", .success("http://example.org/%5B1%5D%25?a%5B%5D=%254")),
        Row("http://example.org/ü?ü", .success("http://example.org/%C3%BC?%C3%BC")),
        Row("http://example.org/\u{301}a", .success("http://example.org/%CC%81a")),
        Row("http://example.org/\"<>\\^`{|}", .success("http://example.org/%22%3C%3E%5C%5E%60%7B%7C%7D")),
        Row("http://example.org\\a/./b", .success("http://example.org/%5Ca/b")),
        Row("http://[::1]/", .success("http://[::1]/")),
        Row("http://[2001:DB8::A]:8080/x", .success("http://[2001:db8::a]:8080/x")),
        Row("http://127.0.0.1:1/", .success("http://127.0.0.1:1/")),
        Row("http://a_b.example/", .success("http://a_b.example/")),
        Row("http://example.org./", .success("http://example.org./")),
        Row("http://example.org//a//b", .success("http://example.org//a//b")),
    ]

    static let segments: [Row] = [
        Row("http://h/a/./b", .success("http://h/a/b")),
        Row("http://h/a/../b", .success("http://h/b")),
        Row("http://h/a/b/..", .success("http://h/a/")),
        Row("http://h/a/b/.", .success("http://h/a/b/")),
        Row("http://h/../../a", .success("http://h/a")),
        Row("http://h/..", .success("http://h/")),
        Row("http://h/a//../b", .success("http://h/a/b")),
        Row("http://h/a/.../b", .success("http://h/a/.../b")),
        Row("http://h/.a/..b", .success("http://h/.a/..b")),
        Row("http://h/a?b/../c", .success("http://h/a?b/../c")),
    ]

    static let users: [Row] = [
        Row("http://user@h/", .success("http://h/"), user: "user"),
        Row("http://user:pass@h/", .success("http://h/"), user: "user:pass"),
        Row("http://us%40er:p%3Ass@h/", .success("http://h/"), user: "us@er:p:ss"),
        Row("http://a@b@h/", .success("http://h/"), user: "a@b"),
        Row("http://ü:p@h/", .success("http://h/"), user: "ü:p"),
        Row("http://@h/", .success("http://h/"), user: ""),
        Row("http://h/a@b", .success("http://h/a@b")),
        Row("http://h?a@b", .success("http://h/?a@b")),
    ]

    static let refused: [Row] = [
        Row("", .failure(.empty)), Row(" \t ", .failure(.empty)),
        Row("example.org/file", .failure(.noScheme)), Row("example.org:8080/file", .failure(.noScheme)),
        Row("localhost:8080", .failure(.noScheme)), Row("/file", .failure(.noScheme)),
        Row("//h/f", .failure(.noScheme)),
        Row("1http://h/", .failure(.noScheme)), Row("ht tp://h/", .failure(.noScheme)),
        Row("ftp://h/", .failure(.unsupportedScheme("ftp"))), Row("FILE:///etc", .failure(.unsupportedScheme("file"))),
        Row("magnet:?xt=urn", .failure(.unsupportedScheme("magnet"))),
        Row("data:text/plain,x", .failure(.unsupportedScheme("data"))),
        Row("http:example.org", .failure(.noHost)), Row("http:/a", .failure(.noHost)),
        Row("http://", .failure(.noHost)),
        Row("http:///a", .failure(.noHost)), Row("http://:80/", .failure(.noHost)),
        Row("http://u@/", .failure(.noHost)),
        Row("http://a b/", .failure(.badHost("a b"))), Row("http://.a/", .failure(.badHost(".a"))),
        Row("http://-a/", .failure(.badHost("-a"))), Row("http://a..b/", .failure(.badHost("a..b"))),
        Row("http://münchen.de/", .failure(.badHost("münchen.de"))), Row("http://a%2eb/", .failure(.badHost("a.b"))),
        Row("http://h/\u{0}", .failure(.controlCharacter)), Row("http://h/a\r\nb", .failure(.controlCharacter)),
        Row("http://h/\u{7f}", .failure(.controlCharacter)),
        Row("http://[::1", .failure(.badHost("[::1"))), Row("http://[]/", .failure(.badHost("[]"))),
        Row("http://[v1.a]/", .failure(.badHost("[v1.a]"))), Row("http://[::1]x/", .failure(.badPort(""))),
        Row("http://[fe80::1%25eth0]/", .failure(.badHost("[fe80::1%eth0]"))),
        Row("http://h:0/", .failure(.badPort("0"))), Row("http://h:65536/", .failure(.badPort("65536"))),
        Row("http://h:x/", .failure(.badPort("x"))), Row("http://h:-1/", .failure(.badPort("-1"))),
        Row("http://h:99999999999999999999/", .failure(.badPort("99999999999999999999"))),
        Row(
            "http://" + String(repeating: "a", count: 254) + "/", .failure(.badHost(String(repeating: "a", count: 254)))
        ),
    ]

    @Test(arguments: normal + segments + users + refused) func `a text is a URL in normal form, or a reason`(_ row: Row)
    {
        switch row.expected {
        case .success(let text):
            do throws(URLProblem) {
                let parsed = try ResourceURL.parse(row.text)
                #expect(parsed.url.text == text, sourceLocation: row.location)
                #expect(parsed.userInformation == row.user, sourceLocation: row.location)
                // Parsing what was parsed changes nothing.
                #expect(try ResourceURL.parse(text).url == parsed.url, sourceLocation: row.location)
            } catch { Issue.record(error, sourceLocation: row.location) }
        case .failure(let problem):
            #expect(throws: problem, sourceLocation: row.location) { try ResourceURL.parse(row.text) }
        }
    }

    @Test func `a URL is at most 8192 bytes, as given and in normal form`() throws {
        let path = String(repeating: "a", count: ResourceURL.bytesMax - "http://h/".utf8.count)
        #expect(try ResourceURL.parse("http://h/" + path).url.text.utf8.count == ResourceURL.bytesMax)
        #expect(throws: URLProblem.tooLong(bytes: 8193)) { try ResourceURL.parse("http://h/a" + path) }
        #expect(throws: URLProblem.tooLong(bytes: 8194)) { try ResourceURL.parse("http://h/ " + path.dropFirst(1)) }
    }

    @Test func `a URL that is read at one look is the one that is taken apart`() {
        let pieces = [
            "http://", "https://", "Http://", "h", "example.org", "127.0.0.1", "a_b", "Ä", "-", ".", "..", "/", "//",
            "?", "#", "@", ":", "80", "443", "8080", "65536", "0", "%", "%41", "%c3", "%4", "\\", "[", "]", " ", "~",
            "\u{301}",
        ]
        var chance = SplitMix64(seed: 7)
        for _ in 0..<20_000 {
            let start =
                chance.next() % 4 == 0 ? "" : pieces[Int(chance.next() % 2)] + pieces[3 + Int(chance.next() % 4)]
            let text = (0..<chance.next() % 8).reduce(start) { text, _ in
                text + pieces[Int(chance.next() % UInt64(pieces.count))]
            }
            // White space before it is dropped, and has it taken apart.
            #expect(Self.outcome(of: text) == Self.outcome(of: "\n" + text), "\(text)")
        }
    }

    private static func outcome(of text: String) -> Result<ResourceURL.Parsed, URLProblem> {
        do throws(URLProblem) { return .success(try ResourceURL.parse(text)) } catch { return .failure(error) }
    }

    @Test func `the parts of a URL`() throws {
        let url = try ResourceURL.parse("https://[2001:db8::a]:8080/a/b%20c?x=1&y").url
        #expect(url.scheme == "https" && url.isSecure)
        #expect(url.host == "2001:db8::a" && url.port == 8080)
        #expect(url.origin == "https://[2001:db8::a]:8080")
        #expect(url.path == "/a/b%20c" && url.query == "x=1&y" && url.lastPathComponent == "b c")
        let plain = try ResourceURL.parse("http://h").url
        #expect(plain.host == "h" && plain.port == 80 && plain.path == "/" && plain.query == nil)
        #expect(plain.lastPathComponent == "" && !plain.isSecure)
        for (text, name) in [
            ("http://h/a?b/c%20", "a"), ("http://h/a%2Fb/c", "c"), ("http://h/a/b%2Fc?", "b/c"), ("http://h/a/", ""),
        ] {
            #expect(try ResourceURL.parse(text).url.lastPathComponent == name)
        }
        #expect(try ResourceURL.parse("https://h/?").url.port == 443)
    }

    @Test func `a normal URL is the same to Foundation, character for character`() throws {
        for code in UInt8(33)..<127 where code != UInt8(ascii: "#") {
            let character = Character(UnicodeScalar(code))
            let url = try ResourceURL.parse("http://example.org/a\(character)b?c\(character)d%").url
            #expect(URL(string: url.text)?.absoluteString == url.text)
        }
    }
}
