import LedgerModel
import Testing

/// What a URL looks like where it is written down.
struct RedactionTests {
    /// Pairs of URLs, and whether they are one place.
    static let places: [(one: String, other: String, isOne: Bool)] = [
        ("http://h/a?b=1", "http://h/a?b=1", true), ("http://h/a?b=1", "http://h/a?b=2", false),
        ("http://h/a?b=1&sig=x", "http://h/a?b=1&sig=y", true), ("http://h/a?b=1&sig=x", "http://h/a?b=2&sig=y", false),
        ("http://h/a?b=1&c=2&sig=x", "http://h/a?b=1&c=2", true),
        ("http://h/a?b=1&c=2&sig=x", "http://h/a?b=1?c=2", false),
        ("http://h/a?sig=x", "http://h/a", true), ("http://h/a?sig=x", "http://g/a?sig=x", false),
        ("http://h/a?sig=x&Expires=1&b", "http://h/a?Expires=2&b&sig=y", true),
        ("http://h/a?Expires=1", "http://h/a?Expires=2", false),
        (
            "http://h/a?X-Amz-Date=1&X-Amz-Signature=x&versionId=1",
            "http://h/a?X-Amz-Date=2&X-Amz-Signature=y&versionId=2", false
        ),
        (
            "http://h/a?sp=r&se=2025-01-01&sk%74=1&sig=x&rscd=f",
            "http://h/a?sp=r&se=2025-01-02&skt=2&sig=y&rscd=f", true
        ),
        ("http://h/a;sid=x", "http://h/a;sid=y", false), ("http://h/a;sid=x?b=1", "http://h/a;sid=y?b=1", false),
        ("http://h/a?date=1&token=x", "http://h/a?date=2&token=y", false),
        ("http://h/a?date=1&sig=x", "http://h/a?date=2&sig=y", true),
        ("http://h/a?expires=1&token=x", "http://h/a?expires=2&token=y", true),
    ]

    @Test(arguments: places) func `what is good for one request makes no other place`(
        _ pair: (one: String, other: String, isOne: Bool)
    ) throws {
        let (one, other) = (try ResourceURL.parse(pair.one).url, try ResourceURL.parse(pair.other).url)
        #expect((one.unsigned == other.unsigned) == pair.isOne)
        #expect((one.redacted.unsigned == other.unsigned) == (pair.isOne && one.redacted.unsigned == one.unsigned))
    }

    static let rows: [(String, String)] = [
        ("http://h/a", "http://h/a"), ("http://h/a?b=c", "http://h/a?b=c"),
        ("http://h/a?token=s3cret", "http://h/a?token=REDACTED"),
        ("http://h/a?TOKEN=s3cret&b=c", "http://h/a?TOKEN=REDACTED&b=c"),
        ("http://h/a?b=c&X-Amz-Signature=s3cret&d", "http://h/a?b=c&X-Amz-Signature=REDACTED&d"),
        ("http://h/a?t%6Fken=s3cret", "http://h/a?t%6Fken=REDACTED"),
        ("http://h/a?token=s3=cret", "http://h/a?token=REDACTED"),
        ("http://h/a?token=", "http://h/a?token="), ("http://h/a?token", "http://h/a?token"),
        ("http://h/a?sig=1&sig=2", "http://h/a?sig=REDACTED&sig=REDACTED"),
        ("http://h:81/token=s3cret?x", "http://h:81/token=s3cret?x"),
        ("http://h/a?&&key=k&", "http://h/a?&&key=REDACTED&"),
        ("http://h/a?token=s3/cr?et&b=c", "http://h/a?token=REDACTED&b=c"),
        ("http://h/a?private_token=s3cret", "http://h/a?private_token=REDACTED"),
        ("http://h/a?x-Plex-Token=s3cret", "http://h/a?x-Plex-Token=REDACTED"),
        ("http://h/a?subscription-key=s3cret&code=US", "http://h/a?subscription-key=REDACTED&code=US"),
        ("http://h/a?b=1;token=s3cret", "http://h/a?b=1;token=REDACTED"),
        ("http://h/a?monkey=1&turkey=2", "http://h/a?monkey=1&turkey=2"),
        // Parameters of a segment of the path.
        ("http://h/a;token=s3cret", "http://h/a;token=REDACTED"), ("http://h/a;v=1.2;b", "http://h/a;v=1.2;b"),
        ("http://h/a;sid=s3cret;v=1/b;jsessionid=s3cret?c", "http://h/a;sid=REDACTED;v=1/b;jsessionid=REDACTED?c"),
        // A URL inside a URL, as it is.
        ("http://h/a?url=https://u:s3cret@x/y&b=c", "http://h/a?url=https://REDACTED@x/y&b=c"),
        ("http://h/a?https://u:s3cret@x/y", "http://h/a?https://REDACTED@x/y"),
        ("http://h/a?url=//u:s3cret@x/y", "http://h/a?url=//REDACTED@x/y"),
        ("http://h/https://u:s3cret@x/y.iso", "http://h/https://REDACTED@x/y.iso"),
        ("http://h/https:/u:s3cret@x/y.iso", "http://h/https:/REDACTED@x/y.iso"),
        ("http://h/a?url=https://x/y?token=s3cret&b=c", "http://h/a?url=https://x/y?token=REDACTED&b=c"),
        ("http://h/a?next=https://x&mail=ada@x.org", "http://h/a?next=https://x&mail=ada@x.org"),
        ("http://h/@scope/a?url=https://x/@scope/b", "http://h/@scope/a?url=https://x/@scope/b"),
        ("http://h/a?url=https://u%3As3cret%40x/y", "http://h/a?url=https://REDACTED%40x/y"),
        ("http://h/a?url=https://u:s3%2Fcret@x/y", "http://h/a?url=https://REDACTED@x/y"),
        ("http://h/a?u=http://x=//u:s3cret@y/z", "http://h/a?u=http://x=//REDACTED@y/z"),
        ("http://h/a?url=http://u:s3'cret@x/y", "http://h/a?url=http://REDACTED@x/y"),
        // Percent-encoded, once and twice.
        ("http://h/a?url=https%3A%2F%2Fu%3As3cret%40x%2Fy&b=c", "http://h/a?url=https%3A%2F%2FREDACTED%40x%2Fy&b=c"),
        ("http://h/a?url=https%3A//u:s3cret@x/y", "http://h/a?url=https%3A//REDACTED@x/y"),
        (
            "http://h/a?url=https%3a%2f%2fx%2fy%3ftoken%3ds3cret",
            "http://h/a?url=https%3A%2F%2Fx%2Fy%3Ftoken%3DREDACTED"
        ),
        (
            "http://h/a?u=https%253A%252F%252Fu%253As3cret%2540x%252Fy",
            "http://h/a?u=https%253A%252F%252FREDACTED%2540x%252Fy"
        ),
        ("http://h/https%3A%2F%2Fu%3As3cret%40x%2Fy.iso", "http://h/https%3A%2F%2FREDACTED%40x%2Fy.iso"),
        ("http://h/a?url=https%3a%2f%2fx%2fy", "http://h/a?url=https%3a%2f%2fx%2fy"),
        // Percent-encoded but for the `=`, in a query and in a path.
        ("http://h/a?to=http://g/y%3Fsig=s3cret&b=c", "http://h/a?to=http://g/y%3Fsig=REDACTED&b=c"),
        ("http://h/a?to=http://g/y%253Fsig=s3cret", "http://h/a?to=http://g/y%253Fsig=REDACTED"),
        ("http://h/a?y%3Fb%3D1%26sig=s3cret", "http://h/a?y%3Fb%3D1%26sig=REDACTED"),
        ("http://h/a/y%3Bsid=s3cret/b=c", "http://h/a/y%3Bsid=REDACTED/b=c"),
        ("http://h/a?to=y%3Fb%3D1%26sig=s3cret", "http://h/a?to=y%3Fb%3D1%26sig%3DREDACTED"),
        ("http://h/a?to=http%3A%2F%2Fg%2Fy%3Bsid=s3cret", "http://h/a?to=http%3A%2F%2Fg%2Fy%3Bsid%3DREDACTED"),
        ("http://h/http%3A%2F%2Fg%2Fy%3Fsig=s3/cret&key=k", "http://h/http%3A%2F%2Fg%2Fy%3Fsig=REDACTED&key=REDACTED"),
        (
            "http://h/a?http%3A%2F%2Fu:s3cret%40g%2Fy%3Ftoken=s3cret",
            "http://h/a?http%3A%2F%2FREDACTED%40g%2Fy%3Ftoken=REDACTED"
        ),
        ("http://h/a?sort%20key=1&b%3F=c", "http://h/a?sort%20key=1&b%3F=c"),
        ("http://h/a?b=%ff%41%", "http://h/a?b=%ff%41%25"),
    ]

    @Test func `that something was taken out is seen, wherever the word stands`() {
        for text in ["REDACTED", "a=REDACTED", "REDACTREDACTED", "RREDACTED", "\u{E9}REDACTED&b"] {
            #expect(Redaction.isIn(text), "\(text)")
        }
        for text in ["", "R", "REDACTE", "REDACTEDD".lowercased(), "REDACTEREDACTE", "RED ACTED"] {
            #expect(!Redaction.isIn(text), "\(text)")
        }
    }

    @Test(arguments: rows) func `a URL that was written down without its secrets is told`(
        _ text: String, _ expected: String
    ) {
        #expect(Redaction.isIncomplete(expected) == expected.contains("REDACTED"))
        if expected.contains("REDACTED") { #expect(!Redaction.isIncomplete(text)) }
    }

    @Test func `a name with the word in it is none that was left out`() {
        for text in ["http://h/REDACTED.pdf", "http://h/f?name=REDACTED", "http://h/REDACTED.pdf?token=abc"] {
            #expect(!Redaction.isIncomplete(text), "\(text)")
        }
    }

    @Test(arguments: rows) func `the values that open doors are left out`(_ text: String, _ expected: String) throws {
        let redacted = try ResourceURL.parse(text).url.redacted
        #expect(redacted.text == expected)
        #expect(redacted.redacted == redacted)
    }

    @Test func `a text around URLs stays`() {
        #expect(
            Redaction.redacted("no 'http://u:p@h/?token=x y' and 'a@b'")
                == "no 'http://REDACTED@h/?token=REDACTED y' and 'a@b'")
    }

    @Test(arguments: Redaction.secretParameters.sorted() + Redaction.secretWords) func `each secret parameter`(
        _ name: String
    ) throws {
        #expect(name == name.lowercased())
        #expect(try ResourceURL.parse("http://h/?\(name)=s3cret").url.redacted.text == "http://h/?\(name)=REDACTED")
    }
}
