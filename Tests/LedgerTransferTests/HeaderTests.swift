import LedgerModel
import LedgerTransfer
import Testing

/// A row of a parser's table: a text and what it means.
struct Row<Meaning: Sendable>: Sendable {
    let text: String
    let meaning: Meaning
    let location: SourceLocation

    init(_ text: String, _ meaning: Meaning, location: SourceLocation = #_sourceLocation) {
        self.text = text
        self.meaning = meaning
        self.location = location
    }
}

/// What each parser makes of each text.
private enum HeaderTables {
    static let ranges: [Row<Result<ContentRange, ContentRangeProblem>>] = [
        Row("bytes 0-9/10", .success(.slice(0..<10, total: 10))),
        Row("Bytes  5-9/*", .success(.slice(5..<10, total: nil))),
        Row("bytes=3-4/9", .success(.slice(3..<5, total: 9))),
        Row("bytes */77", .success(.unsatisfied(total: 77))),
        Row("bytes 9-0/10", .failure(.inverted(first: 9, last: 0))),
        Row("bytes 0-10/10", .failure(.pastEnd(last: 10, total: 10))),
        Row("items 0-9/10", .failure(.otherUnit("items"))),
        Row("bytes */*", .failure(.malformed("bytes */*"))),
        Row("bytes 0-9", .failure(.malformed("bytes 0-9"))),
        Row("bytes 0-9/10x", .failure(.malformed("bytes 0-9/10x"))),
        Row("bytes -9/10", .failure(.malformed("bytes -9/10"))),
        Row("bytes 0-99999999999999999999/*", .failure(.malformed("bytes 0-99999999999999999999/*"))),
        Row(
            "bytes 0-18446744073709551615/*", .failure(.inverted(first: 0, last: .max))),
        Row("", .failure(.otherUnit(""))),
    ]

    static let names: [Row<String?>] = [
        Row("attachment; filename=\"a b.txt\"", "a b.txt"), Row("attachment; filename=a.txt", "a.txt"),
        Row("inline;FILENAME = \"x\"", "x"), Row("filename=\"bare.bin\"", "bare.bin"),
        Row("attachment; filename=\"a\\\"b.txt\"", "a\"b.txt"),
        Row("attachment; filename=\"C:\\dir\\f.txt\"", "C:\\dir\\f.txt"),
        Row("attachment; filename=\"semi;colon.txt\"; size=3", "semi;colon.txt"),
        Row("attachment; filename=two words.txt", "two words.txt"),
        Row("attachment; filename=\"open", "open"),
        Row("attachment; filename*=UTF-8''%e2%82%ac%20rates.txt; filename=\"EURO.txt\"", "€ rates.txt"),
        Row("attachment; filename=\"EURO.txt\"; filename*=utf-8'en'%e2%82%ac.txt", "€.txt"),
        Row("attachment; filename*=ISO-8859-1''na%EFve.txt", "naïve.txt"),
        Row("attachment; filename*=UTF-8''%ff.txt; filename=good.txt", "good.txt"),
        Row("attachment; filename*=koi8-r''%c1; filename=good.txt", "good.txt"),
        Row("attachment; filename*=broken; filename=good.txt", "good.txt"),
        Row("attachment; filename=\"%e2%82%ac.txt\"", "€.txt"), Row("attachment; filename=\"100%.txt\"", "100%.txt"),
        Row("attachment", nil), Row("", nil), Row("attachment; filename=", nil), Row(";;;=;", nil),
    ]

    static let tags: [Row<String?>] = [
        Row("\"abc\"", "\"abc\""), Row(" \"a b\" ", "\"a b\""), Row("W/\"x\"", "W \"x\""), Row("w/\"x\"", "W \"x\""),
        Row("\"\"", "\"\""), Row("abc", nil), Row("\"abc", nil), Row("\"", nil), Row("\"a\"b\"", nil), Row("", nil),
        Row("\"\u{E9}\"", nil), Row("\"e\u{301}\"", nil), Row("W/\"\u{FFFD}\"", nil),
    ]

    static let dates: [Row<String?>] = [
        Row("Sun, 06 Nov 1994 08:49:37 GMT", "1994-11-06T08:49:37.000Z"),
        Row("Sunday, 06-Nov-94 08:49:37 GMT", "1994-11-06T08:49:37.000Z"),
        Row("Sun Nov  6 08:49:37 1994", "1994-11-06T08:49:37.000Z"),
        Row("Saturday, 06-Nov-27 08:49:37 GMT", "2027-11-06T08:49:37.000Z"),
        Row("Sun, 06 Nov 1994 08:49:37 CET", nil), Row("Sun, 06 Nov 1994 24:49:37 GMT", nil),
        Row("Sun, 00 Nov 1994 08:49:37 GMT", nil), Row("Sun, 06 Foo 1994 08:49:37 GMT", nil), Row("tomorrow", nil),
        Row("", nil), Row("0", nil), Row("Sun, 06 Nov 19940000000000000 08:49:37 GMT", nil),
    ]

    static let waits: [Row<UInt32?>] = [
        Row("0", 0), Row(" 120 ", 120), Row("3601", 3600), Row("99999999999999999999", 3600), Row("-1", nil),
        Row("1.5", nil), Row("soon", nil), Row("", nil), Row("Tue, 03 Mar 2026 10:02:00 GMT", 120),
        Row("Tue, 03 Mar 2020 10:02:00 GMT", 0), Row("Tue, 03 Mar 2099 10:02:00 GMT", 3600),
    ]

    static let types: [Row<String?>] = [
        Row("text/HTML; charset=utf-8", "text/html"), Row("application/octet-stream", "application/octet-stream"),
        Row("text", nil), Row("text/", nil), Row("te xt/html", nil), Row("", nil),
    ]
}

@Suite struct HeaderTests {
    @Test(arguments: HeaderTables.ranges)
    func `content ranges`(row: Row<Result<ContentRange, ContentRangeProblem>>) {
        let parsed = Result { () throws(ContentRangeProblem) in try ContentRange.parse(row.text) }
        #expect(parsed == row.meaning, sourceLocation: row.location)
    }

    @Test(arguments: HeaderTables.names)
    func `names in content dispositions`(row: Row<String?>) {
        #expect(ContentDisposition.fileName(row.text) == row.meaning, sourceLocation: row.location)
    }

    @Test(arguments: HeaderTables.tags)
    func `entity tags`(row: Row<String?>) {
        let tag = EntityTag(parsing: row.text).map { ($0.isWeak ? "W " : "") + $0.quoted }
        #expect(tag == row.meaning, sourceLocation: row.location)
    }

    static let now = Timestamp(milliseconds: 1_772_532_000_000)

    @Test(arguments: HeaderTables.dates)
    func `dates`(row: Row<String?>) {
        #expect(HTTPDate.parse(row.text, now: Self.now)?.rfc3339 == row.meaning, sourceLocation: row.location)
    }

    @Test(arguments: HeaderTables.waits)
    func `waits that origins ask for`(row: Row<UInt32?>) {
        #expect(RetryAfter.parse(row.text, now: Self.now) == row.meaning, sourceLocation: row.location)
    }

    @Test(arguments: HeaderTables.types)
    func `media types`(row: Row<String?>) {
        #expect(ContentType.mediaType(row.text) == row.meaning, sourceLocation: row.location)
    }
}
