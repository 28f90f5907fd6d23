import LedgerModel
import Testing

/// Names that servers suggest (rows 31 to 33 of the behaviours).
struct FileNameTests {
    static let safe: [(String, String?)] = [
        ("file.iso", "file.iso"), ("a b.txt", "a b.txt"), ("ünïcode.txt", "ünïcode.txt"), ("日本.zip", "日本.zip"),
        ("../../etc/passwd", "passwd"), ("/etc/passwd", "passwd"), ("..\\..\\boot.ini", "boot.ini"),
        ("C:\\dir\\file", "file"), ("C:file", "C_file"), ("dir/", "dir"), ("a/b\\c", "c"),
        ("..%2F..%2Fpasswd", "_..%2F..%2Fpasswd"), ("..", nil), (".", nil), ("...", nil), ("", nil), ("/", nil),
        ("\\", nil),
        ("   ", nil), ("a\u{0}b", "a_b"), ("a\r\nb\u{1b}[31m", "a__b_[31m"), ("a\u{85}\u{9b}b", "a__b"),
        ("a\u{2028}b\u{2029}", "a_b_"), ("\u{0}", nil), ("***", nil), ("a<b>c:d\"e|f?g*h", "a_b_c_d_e_f_g_h"),
        ("\u{202e}gpj.exe", "_gpj.exe"), ("a\u{200b}b", "a_b"), ("bad\u{fffd}name", "bad_name"),
        (".bashrc", "_.bashrc"), (".\u{301}hidden", "_.\u{301}hidden"), (" .hidden", "_.hidden"), ("..x", "_..x"),
        ("-rf", "_-rf"), (" -rf", "_-rf"), ("--help", "_--help"), ("-\u{301}x", "_-\u{301}x"), ("a-b", "a-b"),
        ("name.", "name"), ("name. . ", "name"), (" name ", "name"),
        ("con", "_con"), ("CON.txt", "_CON.txt"), ("com1", "_com1"), ("COM¹.txt", "_COM¹.txt"), ("CONIN$", "_CONIN$"),
        ("lpt9.log", "_lpt9.log"), ("com10", "com10"),
        ("console", "console"), ("nul", "_nul"), ("aux.c", "_aux.c"),
        // A slash is one for the disk, whatever mark it carries.
        ("../\u{301}x", "\u{301}x"), ("a/\u{301}/b", "b"), ("a\\\u{301}", "\u{301}"),
    ]

    @Test func `words are one component, slashes and all`() {
        for (words, expected) in [
            ("AC/DC", "AC_DC"), ("24/7", "24_7"), ("Back in\\DC", "Back in_DC"), ("../x", "_.._x"), ("..", nil),
        ] as [(String, String?)] {
            #expect(FileName.safe(words: words) == expected)
        }
    }

    @Test(arguments: safe) func `a suggestion becomes a harmless component`(_ suggestion: String, _ expected: String?) {
        #expect(FileName.safe(suggestion) == expected)
    }

    @Test(arguments: safe) func `what is safe stays as it is`(_ suggestion: String, _ expected: String?) {
        guard let name = FileName.safe(suggestion) else { return }
        #expect(FileName.safe(name) == name)
        #expect(!name.utf8.contains(UInt8(ascii: "/")) && name.utf8.first != UInt8(ascii: ".") && !name.isEmpty)
    }

    @Test func `a long name is cut on a character boundary and keeps its extension`() {
        let long = String(repeating: "a", count: 300)
        #expect(FileName.safe(long + ".tar.gz") == String(long.prefix(193)) + ".tar.gz")
        #expect(FileName.safe(long) == String(long.prefix(200)))
        #expect(FileName.safe("a." + long) == "a." + String(long.prefix(198)))
        let umlauts = FileName.safe(String(repeating: "ü", count: 150) + ".iso")
        #expect(umlauts == String(repeating: "ü", count: 98) + ".iso")
        let family = FileName.shortened(String(repeating: "👨‍👩‍👧", count: 20) + ".jpg", bytesMax: 60)
        #expect(family == "👨‍👩‍👧👨‍👩‍👧👨‍👩‍👧.jpg")
    }

    @Test func `what a cut leaves is as safe as any name`() {
        let underscores = String(repeating: "_", count: 220)
        #expect(FileName.safe(underscores + "a") == nil)
        #expect(FileName.safe("a" + String(repeating: " ", count: 220) + "b") == "a")
    }

    @Test func `a character without end is cut all the same`() {
        let name = FileName.safe("e" + String(repeating: "\u{301}", count: 500))
        #expect(name?.utf8.count == 199)
    }

    static let numbered: [(String, Int, String)] = [
        ("file.iso", 1, "file (1).iso"), ("archive.tar.gz", 2, "archive (2).tar.gz"), ("README", 3, "README (3)"),
        (".hidden", 1, ".hidden (1)"), ("a.b.c", 10, "a.b (10).c"), (".tar.gz", 1, ".tar (1).gz"), ("x.", 1, "x (1)."),
    ]

    @Test(arguments: numbered) func `a number goes before the extension`(
        _ name: String, _ number: Int, _ expected: String
    ) {
        #expect(FileName.numbered(name, number) == expected)
    }

    @Test func `a numbered name is no longer than a name may be`() {
        let name = FileName.numbered(String(repeating: "a", count: 251) + ".iso", 12)
        #expect(name == String(repeating: "a", count: 246) + " (12).iso")
        #expect(name.utf8.count == FileName.bytesMax)
    }
}
