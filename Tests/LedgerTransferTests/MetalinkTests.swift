import LedgerModel
import LedgerTransfer
import Testing

/// Metalink documents of both versions, well-formed and not.
@Suite struct MetalinkTests {
    private static let sha256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    private static let sha1 = "da39a3ee5e6b4b0d3255bfef95601890afd80709"
    private static let md5 = "d41d8cd98f00b204e9800998ecf8427e"

    private func parse(_ text: String, base: String? = nil) throws -> Metalink {
        try Metalink.parse(Array(text.utf8), base: base.map { try ResourceURL.parse($0).url })
    }

    /// A document of version 4 with one file of these parts, which start in its second line.
    private static func four(_ parts: String, name: String = "x") -> String {
        "<metalink xmlns=\"urn:ietf:params:xml:ns:metalink\"><file name=\"\(name)\">\n\(parts)</file></metalink>"
    }

    /// The hashes of two pieces, numbered as version 3 does.
    private static func two(_ hash: String) -> String {
        "<hash piece=\"0\">\(hash)</hash><hash piece=\"1\">\(hash)</hash>"
    }

    private static func problem(_ text: String) -> String? {
        do throws(XMLProblem) {
            _ = try Metalink.parse(Array(text.utf8))
            return nil
        } catch { return "\(error.line): \(error.reason)" }
    }

    @Test func `version 4 says where a file is and what it and its pieces hash to`() throws {
        let metalink = try parse(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <!-- made by hand -->
            <metalink xmlns="urn:ietf:params:xml:ns:metalink" xmlns:x="http://other.example/">
              <generator>tests</generator>
              <file name="iso/big &amp; small.iso">
                <size>9</size>
                <hash type="md5">\(Self.md5)</hash>
                <hash type="sha-256">\(Self.sha256.uppercased())</hash>
                <hash type="whirlpool">00</hash>
                <pieces length="5" type="sha-1">
                  <hash>\(Self.sha1)</hash><hash>\(Self.sha1)</hash>
                </pieces>
                <x:url>http://no.example/</x:url>
                <url priority="2" location="de">http://m2.example/x</url>
                <url>http://last.example/x</url>
                <url priority="1"> https://user:pw@m1.example/x?a=1&#38;b=2 </url>
                <url priority="1"><![CDATA[http://m1b.example/x]]></url>
                <url>ftp://f.example/x</url>
                <metaurl mediatype="torrent">http://t.example/x.torrent</metaurl>
                <signature mediatype="application/pgp-signature">abc</signature>
              </file>
              <file name='second'><url>http://m.example/second</url></file>
            </metalink>
            """)
        #expect(metalink.files.map(\.name) == ["big & small.iso", "second"])
        #expect(metalink.files.map(\.directories) == [["iso"], []])
        #expect(metalink.files.map(\.line) == [5, 22])
        let file = metalink.files[0]
        #expect(file.length == 9)
        #expect(file.digest?.description == "sha-256:" + Self.sha256)
        #expect(file.pieces?.count == 2)
        #expect(file.pieces?.pieceLength == 5)
        #expect(file.pieces?[1].description == "sha-1:" + Self.sha1)
        #expect(
            file.urls.map(\.text) == [
                "https://user:pw@m1.example/x?a=1&b=2", "http://m1b.example/x", "http://m2.example/x",
                "http://last.example/x",
            ])
        #expect(
            metalink.notes.map { "\($0.line): \($0.text)" } == [
                "18: a URL is left out: 'ftp' is not spoken here", "19: a torrent or another description is left out",
                "20: a signature is not checked",
            ])
        #expect(metalink.files[1].length == nil)
        #expect(metalink.files[1].digest == nil)
    }

    @Test func `version 3 says the same in other wrappings`() throws {
        let metalink = try parse(
            """
            <metalink version="3.0" xmlns="http://www.metalinker.org/">
              <publisher><name>x</name><url>http://publisher.example/</url></publisher>
              <files>
                <file name="a.bin">
                  <size>6</size>
                  <verification>
                    <hash type="sha1">\(Self.sha1)</hash>
                    <pieces type="md5" length="5">\(Self.two(Self.md5))</pieces>
                    <pieces type="sha1" length="5">\(Self.two(Self.sha1))</pieces>
                  </verification>
                  <resources maxconnections="1">
                    <url type="http">http://a/0</url>
                    <url type="http" preference="10">http://a/10</url>
                    <url type="https" preference="100" location="us">https://a/100</url>
                    <url type="bittorrent" preference="100">http://a/t.torrent</url>
                  </resources>
                </file>
              </files>
            </metalink>
            """)
        let file = try #require(metalink.files.first)
        #expect(file.urls.map(\.text) == ["https://a/100", "http://a/10", "http://a/0"])
        #expect(file.digest?.algorithm == .sha1)
        #expect(file.pieces?.algorithm == .sha1)
        #expect(metalink.notes.map(\.line) == [15])
    }

    static let names: [Row<String?>] = [
        Row("x.iso", "x.iso"), Row("a/b/x.iso", "a/b/x.iso"), Row("/etc/passwd", "etc/passwd"),
        Row("../../x", "x"), Row("a/../../../x", "a/x"), Row("..\\..\\x", "x"), Row("C:\\dir\\x", "C_/dir/x"),
        Row("./x", "x"), Row(".ssh/.rc", "_.ssh/_.rc"), Row("a//b", "a/b"), Row("..", nil), Row("/", nil), Row("", nil),
        Row("a/", "a"), Row("-rf", "_-rf"),
    ]

    @Test(arguments: names) func `a name stays below the directory`(row: Row<String?>) throws {
        let text = Self.four("<url>http://a/</url>", name: row.text)
        guard let path = row.meaning else {
            #expect(
                Self.problem(text) == "1: the name of the file can not be used", sourceLocation: row.location)
            return
        }
        let file = try #require(try parse(text).files.first)
        #expect((file.directories + [file.name]).joined(separator: "/") == path, sourceLocation: row.location)
    }

    @Test func `relative URLs start from where the document was fetched`() throws {
        let text = Self.four("<url>../x.iso</url><url>//m.example/x.iso</url><url>http://a/x</url>")
        #expect(
            try parse(text, base: "https://host.example/dir/sub/x.meta4").files[0].urls.map(\.text) == [
                "https://host.example/dir/x.iso", "https://m.example/x.iso", "http://a/x",
            ])
        #expect(try parse(text).files[0].urls.map(\.text) == ["http://a/x"])
    }

    @Test func `hashes of pieces that do not make up the size are left out`() throws {
        let pieces = "<pieces length='5' type='sha-1'><hash>\(Self.sha1)</hash></pieces><url>http://a/</url>"
        #expect(try parse(Self.four("<size>5</size>" + pieces)).files[0].pieces != nil)
        #expect(try parse(Self.four(pieces)).files[0].pieces != nil)
        let off = try parse(Self.four("<size>6</size>" + pieces))
        #expect(off.files[0].pieces == nil)
        #expect(off.notes.map(\.line) == [1])
    }

    @Test(arguments: ["9223372036854775808", "18446744073709551615"])
    func `hashes of pieces that are longer than a file can be are left out`(_ length: String) throws {
        let pieces = "<pieces length='\(length)' type='sha-1'><hash>\(Self.sha1)</hash></pieces><url>http://a/</url>"
        let metalink = try parse(Self.four(pieces))
        #expect(metalink.files[0].pieces == nil)
        #expect(metalink.notes.map(\.text) == ["pieces of \(length) bytes are longer than a file can be; left out"])
    }

    @Test func `hashes of more pieces than an order can hold are left out`() throws {
        let count = Metalink.pieceBytesMax / 20 + 1
        let hashes = String(repeating: "<hash>\(Self.sha1)</hash>", count: count)
        let metalink = try parse(Self.four("<pieces length='5' type='sha-1'>\(hashes)</pieces><url>http://a/</url>"))
        #expect(metalink.files[0].pieces == nil)
        #expect(metalink.notes.map(\.text) == ["\(count) pieces by sha-1 are too many; left out"])
    }

    @Test func `of many URLs the best are kept, each once`() throws {
        let urls = (1...200).map { "<url priority='\(201 - $0)'>http://a/\($0)</url>" }.joined()
        let file = try parse(Self.four(urls + "<url priority='1'>http://a/200</url>")).files[0]
        #expect(file.urls.count == Metalink.urlsMax)
        #expect(file.urls.prefix(2).map(\.text) == ["http://a/200", "http://a/199"])
    }

    static let broken: [Row<String>] = [
        Row("", "1: the document holds no element"), Row("just text", "1: text stands outside of every element"),
        Row("<html></html>", "1: the document is no Metalink of version 3 or 4"),
        Row("<metalink/>", "1: the document is no Metalink of version 3 or 4"),
        Row("<metalink xmlns='http://www.metalinker.org/'/>", "1: the Metalink describes no file"),
        Row(
            "\n<!DOCTYPE m [<!ENTITY a 'b'>]>\n<m/>",
            "2: a document type is not taken: it could define or fetch entities"),
        Row(four("&a;"), "2: '&a;' stands for nothing that is known here"),
        Row(four("&#0;"), "2: '&#0;' stands for nothing that is known here"),
        Row(four("&#xD800;"), "2: '&#xD800;' stands for nothing that is known here"),
        Row(four("a & b"), "2: a '&' starts no reference"),
        Row(four("<size>-1</size>"), "2: '-1' is no size"),
        Row(four("<size>9223372036854775808</size>"), "2: '9223372036854775808' is no size"),
        Row(four("<hash type='sha-256'>\(md5)</hash>"), "2: the hash is no sha-256 in hexadecimal"),
        Row(four("<pieces type='md5'></pieces>"), "2: the pieces have no length"),
        Row(four("<pieces type='md5' length='0'></pieces>"), "2: the pieces have no length"),
        Row(
            four("<pieces type='md5' length='1'><hash>00</hash></pieces>"),
            "2: the hash of a piece is no md5 in hexadecimal"),
        Row(
            four("<pieces type='md5' length='1'><hash piece='1'>\(md5)</hash></pieces>"),
            "2: piece 1 stands where 0 is expected"),
        Row(four("\n<url>ftp://a/</url>"), "1: the file has no URL that can be fetched"),
        Row(four("<url>http://a/</size>"), "2: '</size>' stands where 'url' of line 2 is to be closed"),
        Row(four("<!-- a -- b -->"), "2: a comment holds '--'"), Row(four("]]>"), "2: ']]>' stands in a text"),
        Row(four("<?xml version='1.0'?>"), "2: an XML declaration stands inside the document"),
        Row(four("<a b=1/>"), "2: the value of 'b' has no quotes"),
        Row(four("<a b='1' b='2'/>"), "2: the attribute 'b' stands twice"),
        Row(four("<a b='<'/>"), "2: the value of 'b' holds '<'"),
        Row(four("<a b/>"), "2: the attribute 'b' has no value"),
        Row(four("<p:a/>"), "2: the prefix 'p' is not declared"), Row(four("<1/>"), "2: a name is expected here"),
        Row(four("<url>http://a/</url>") + "<b/>", "2: something stands behind the outermost element"),
        Row(four("<url>http://a/</url>") + " text", "2: something stands behind the outermost element"),
        Row(String(four("\n<url>").dropLast(18)), "3: the document ends inside 'url', which starts in line 3"),
        Row(four("<![CDATA[x"), "2: what '<![CDATA[' starts does not end with ']]>'"),
        Row(
            "<?xml version='1.0' encoding='ISO-8859-1'?><a/>",
            "1: the document is in 'iso-8859-1', and only UTF-8 is read"),
        Row(four("<a>\u{1}</a><url>\u{1}</url>"), "2: a control character stands in the text"),
        Row(
            "<metalink xmlns='urn:ietf:params:xml:ns:metalink'>\n<file><url>http://a/</url></file></metalink>",
            "2: the file has no name"),
        Row(four(String(repeating: "<a>", count: 70)), "2: more than 64 elements in one another"),
        Row(four("<url>" + String(repeating: "a", count: 70_000) + "</url>"), "2: a text is longer than 65536 bytes"),
    ]

    @Test(arguments: broken) func `what can not be read is refused with its line`(row: Row<String>) {
        #expect(Self.problem(row.text) == row.meaning, sourceLocation: row.location)
    }

    @Test func `a document in another encoding or beyond the bound is refused`() {
        let wide = Array("<a/>".utf8).flatMap { [UInt8(0), $0] }
        for bytes in [[0xFE, 0xFF] + wide, wide, Array(repeating: UInt8(ascii: " "), count: Metalink.bytesMax + 1)] {
            #expect(throws: XMLProblem.self) { try Metalink.parse(bytes) }
        }
        #expect(throws: XMLProblem.self) { try Metalink.parse(Array(Self.four("<url>").utf8) + [0xFF]) }
    }

    @Test func `every cut of a document ends in an error, and nothing else`() throws {
        let text = Array(
            Self.four("<size>5</size><url priority='1'>http://a/?b&amp;c</url><!-- c --><x><![CDATA[d]]></x>").utf8)
        _ = try Metalink.parse(text)
        for count in 0..<text.count {
            #expect(throws: XMLProblem.self) { try Metalink.parse(Array(text.prefix(count))) }
        }
    }

    @Test func `documents are known by their type and by their name`() throws {
        #expect(Metalink.isMetalink(mediaType: "application/metalink4+xml"))
        #expect(Metalink.isMetalink(mediaType: "application/metalink+xml"))
        #expect(!Metalink.isMetalink(mediaType: "application/xml"))
        for (text, isOne) in [("a.meta4", true), ("a.METALINK?x=1", true), ("a.iso?x=.meta4", false), ("meta4", false)]
        {
            #expect(Metalink.isMetalink(try ResourceURL.parse("http://a/" + text).url) == isOne)
        }
    }
}
