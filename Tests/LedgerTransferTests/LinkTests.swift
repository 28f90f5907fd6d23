import HTTPTypes
import LedgerModel
import LedgerTransfer
import Testing

/// What an answer says of other places and of its digest.
@Suite struct LinkTests {
    static let links: [Row<[Link]>] = [
        Row("<http://m/x>; rel=duplicate", [Link("http://m/x", relations: ["duplicate"])]),
        Row(
            "<http://m/x>; rel=duplicate; pri=3; geo=DE; pref",
            [Link("http://m/x", relations: ["duplicate"], priority: 3, location: "de")]),
        Row(
            "</x.meta4> ; REL=\"DescribedBy next\"; type=\"application/metalink4+xml; q=1\"",
            [Link("/x.meta4", relations: ["describedby", "next"], mediaType: "application/metalink4+xml")]),
        Row(
            "<http://a/1,2;3>;rel=duplicate,<http://b/>;rel=\"duplicate\";title=\"a, <b>; \\\"c\\\"\" , <c>; rel=x",
            [
                Link("http://a/1,2;3", relations: ["duplicate"]), Link("http://b/", relations: ["duplicate"]),
                Link("c", relations: ["x"]),
            ]),
        Row("<a>; rel=first; rel=second", [Link("a", relations: ["first"])]),
        Row("<a>; rel=x; anchor=\"#part\", <b>; rel=y", [Link("b", relations: ["y"])]),
        Row("<a>, <b>; rel=y", [Link("b", relations: ["y"])]),
        Row(",, <a>; rel=x ,", [Link("a", relations: ["x"])]),
        Row(
            "<a>; rel=x; pri=0, <b>; rel=x; pri=1000000, <c>; rel=x; pri=one",
            ["a", "b", "c"].map { Link($0, relations: ["x"]) }),
        Row("<a>; rel=x, junk, <b>; rel=x", [Link("a", relations: ["x"])]),
        Row("<a; rel=x", []), Row("a; rel=x", []), Row("<a>", []), Row("", []), Row("<", []), Row(";;,=", []),
        Row("<a>; rel=\"x", [Link("a", relations: ["x"])]),
    ]

    @Test(arguments: links) func `links of an answer`(row: Row<[Link]>) {
        #expect(Link.parse(row.text) == row.meaning, sourceLocation: row.location)
    }

    @Test func `links without end are read up to a bound`() {
        let field = String(repeating: "<http://m/x>; rel=duplicate, ", count: 5000)
        #expect(Link.parse(field).count == Link.linksMax)
    }

    private static let empty256 = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
    private static let emptyMD5 = "1B2M2Y8AsgTpgAmY7PhCfg=="
    private static let sha256 = "sha-256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    private static let md5 = "md5:d41d8cd98f00b204e9800998ecf8427e"

    static let dictionaries: [Row<[String]>] = [
        Row("sha-256=:\(empty256):", [sha256]), Row("md5=:\(emptyMD5):;x=1, sha-256=:\(empty256):", [md5, sha256]),
        Row(" SHA-256 =:\(empty256): ", [sha256]), Row("sha-256=\(empty256)", []), Row("sha-256=::", []),
        Row("unixsum=:AAAA:, md5=:\(emptyMD5):", [md5]), Row("sha-256", []), Row("", []), Row("=::", []),
        Row("md5=:\(empty256):", []), Row("md5=:1B2M2Y8AsgTpgAmY7PhCfg:", [md5]),
        Row("md5=:1B2M2Y8AsgTpgAmY7PhCf*==:", []),
    ]

    @Test(arguments: dictionaries) func `digests of a representation`(row: Row<[String]>) {
        #expect(StatedDigest.parse(row.text).map(\.description) == row.meaning, sourceLocation: row.location)
    }

    static let instances: [Row<[String]>] = [
        Row("SHA-256=\(empty256)", [sha256]), Row("md5=\(emptyMD5),SHA-256=\(empty256)", [md5, sha256]),
        Row("sha=2jmj7l5rSw0yVb/vlWAYkK/YBwk=", ["sha-1:da39a3ee5e6b4b0d3255bfef95601890afd80709"]),
        Row("crc32c=Im3FSA==, MD5=\(emptyMD5)", [md5]), Row("SHA-256=e3b0c442", []), Row("SHA-256=", []), Row("", []),
    ]

    @Test(arguments: instances) func `digests of an instance`(row: Row<[String]>) {
        #expect(StatedDigest.parseInstance(row.text).map(\.description) == row.meaning, sourceLocation: row.location)
    }

    @Test func `the strongest digest counts, and that of a slice does not`() throws {
        var fields = HTTPFields()
        func append(_ name: String, _ value: String) throws {
            fields.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value))
        }
        #expect(StatedDigest.strongest(in: fields) == nil)
        try append("Content-Digest", "sha-256=:\(Self.empty256):")
        #expect(StatedDigest.strongest(in: fields) == nil)
        try append("Digest", "md5=\(Self.emptyMD5)")
        #expect(StatedDigest.strongest(in: fields)?.description == Self.md5)
        try append("Repr-Digest", "md5=:\(Self.emptyMD5):")
        try append("Repr-Digest", "sha-256=:\(Self.empty256):")
        #expect(StatedDigest.strongest(in: fields)?.description == Self.sha256)
    }
}
