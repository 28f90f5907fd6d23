import LedgerFeeds
import LedgerModel
import Testing

/// Documents in other encodings than UTF-8, and damaged ones.
struct EncodingTests {
    private func feed(_ declaration: String) -> String {
        declaration + "<rss><channel><title>Zoë – €</title></channel></rss>"
    }

    private func title(_ bytes: [UInt8], mediaType: String? = nil) throws -> String? {
        try ListingReader.read(bytes, mediaType: mediaType, base: Samples.base).title
    }

    private func utf16(_ text: String, isBig: Bool) -> [UInt8] {
        text.utf16.flatMap { isBig ? [UInt8($0 >> 8), UInt8($0 & 255)] : [UInt8($0 & 255), UInt8($0 >> 8)] }
    }

    @Test func `UTF-8 with and without a mark`() throws {
        for head in [
            "", "\u{FEFF}", "\u{FEFF} \n", "<?xml version='1.0' encoding='UTF-8'?>", "\n<?xml version='1.0'?>",
        ] {
            #expect(try title(Array(feed(head).utf8)) == "Zoë – €")
        }
        #expect(try Samples.read("\u{FEFF}[{\"url\": \"/ä\"}]").entries.first?.url.path == "/%C3%A4")
    }

    @Test(arguments: [true, false]) func `UTF-16 with and without a mark`(_ isBig: Bool) throws {
        for head in ["", "\u{FEFF}", "\u{FEFF}<?xml version='1.0' encoding='UTF-16'?>"] {
            #expect(try title(utf16(feed(head), isBig: isBig)) == "Zoë – €")
        }
        let json = utf16("\u{FEFF}[{\"url\": \"/a\", \"name\": \"😀\"}]", isBig: isBig)
        #expect(try ListingReader.read(json, mediaType: nil, base: Samples.base).entries.first?.title == "😀")
        #expect(throws: ListingProblem.self) { try title(utf16(feed(""), isBig: isBig).dropLast(3)) }
    }

    @Test(arguments: ["ISO-8859-1", "iso-8859-1", "windows-1252"])
    func `Latin-1 is read as Windows-1252`(_ name: String) throws {
        let tail = Array("</title></channel></rss>".utf8)
        let letters: [UInt8] = [0x5A, 0x6F, 0xEB, 0x20, 0x96, 0x20, 0x80]
        let declared = Array("<?xml version=\"1.0\" encoding=\"\(name)\"?><rss><channel><title>".utf8)
        #expect(try title(declared + letters + tail) == "Zoë – €")
        let plain = Array("<rss><channel><title>".utf8)
        #expect(try title(plain + letters + tail, mediaType: "text/xml; charset=\"\(name)\"") == "Zoë – €")
        #expect(
            try title(Array(feed("<?xml version='1.0' encoding='utf-8'?>").utf8), mediaType: "a/b;charset=\(name)")
                == "Zoë – €")
    }

    @Test func `bytes that are not UTF-8 are replaced`() throws {
        let bytes = Array("<rss><channel><title>Zo".utf8) + [0xEB, 0x20] + Array("x</title></channel></rss>".utf8)
        #expect(try title(bytes) == "Zo\u{FFFD} x")
        let json = Array("[{\"url\": \"/a\", \"name\": \"".utf8) + [0xFF] + Array("\"}]".utf8)
        #expect(try ListingReader.read(json, mediaType: nil, base: Samples.base).entries.first?.title == "\u{FFFD}")
    }

    @Test func `an encoding that is not known is named`() {
        let problem = Samples.problem(of: "<?xml version='1.0' encoding='KOI8-R'?><rss/>")
        #expect(problem?.message == "the document is in 'koi8-r', which is not read here")
        #expect(problem?.next == "ask its publisher for UTF-8")
    }

    @Test func `a NUL is told with its line`() {
        let problem = Samples.problem(of: "<rss>\n<channel>\n<title>a\0b</title></channel></rss>")
        #expect(problem?.message.hasPrefix("a NUL character stands in line 3") == true)
        let utf32 = "\u{FEFF}<rss/>".unicodeScalars.flatMap {
            [UInt8($0.value & 255), UInt8($0.value >> 8 & 255), 0, 0]
        }
        #expect(throws: ListingProblem.self) { try title(utf32) }
    }

    @Test func `what is neither says so`() {
        #expect(Samples.problem(of: "")?.message == "the document is empty")
        #expect(Samples.problem(of: " \r\n\t")?.message == "the document is empty")
        #expect(Samples.problem(of: "\u{FEFF}")?.message == "the document is empty")
        #expect(Samples.problem(of: "%PDF-1.7")?.message.contains("neither XML nor JSON") == true)
    }
}
