import LedgerModel
import Testing

/// What a URL looks like where it is written down.
struct RedactionTests {
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
    ]

    @Test(arguments: rows) func `the values that open doors are left out`(_ text: String, _ expected: String) throws {
        let redacted = try ResourceURL.parse(text).url.redacted
        #expect(redacted.text == expected)
        #expect(redacted.redacted == redacted)
    }

    @Test(arguments: ResourceURL.secretParameters.sorted()) func `each secret parameter`(_ name: String) throws {
        #expect(name == name.lowercased())
        #expect(try ResourceURL.parse("http://h/?\(name)=s3cret").url.redacted.text == "http://h/?\(name)=REDACTED")
    }
}
