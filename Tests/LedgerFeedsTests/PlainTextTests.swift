import Testing

@testable import LedgerFeeds

/// Texts as people read them.
struct PlainTextTests {
    static let html: [(String, String?)] = [
        ("plain", "plain"), ("  two \n\t words ", "two words"), ("", nil), (" <p> </p> ", nil),
        ("<p>One</p><p>Two</p>", "One Two"), ("<b>H</b>ello", "Hello"), ("a<br>b<BR/>c", "a b c"),
        ("Tom &amp; Jerry", "Tom & Jerry"), ("AT&T", "AT&T"), ("&lt;b&gt;", "<b>"), ("1 < 2 > 1", "1 < 2 > 1"),
        ("a<3", "a<3"), ("&#233;&#xE9;&eacute;&Eacute;", "éééÉ"), ("&#150;&#8211;&ndash;", "–––"),
        ("a&nbsp;&nbsp;b", "a b"),
        ("&unknown; &; &#; &#x; &#0; &#1114112; &#xD800;", "&unknown; &; &#; &#x; &#0; &#1114112; &#xD800;"),
        ("a<!-- <b> -->b", "a b"), ("a<!-->b", "a b"), ("<style>p { }</style>x<script>if (a < b) { }</script>y", "x y"),
        ("<a title=\"x>y\" href='>'>link</a>", "link"), ("<a title=don't>link</a>", "link"),
        ("never <b closed", "never <b closed"), ("<b <i>x", "x"), ("end <", "end <"),
        ("a\u{0}\u{7}\u{1B}[31mb", "a[31mb"),
        ("&amp;lt;", "&lt;"), ("<?php echo 1 ?>x", "x"), ("\u{FEFF}x\u{2028}y", "x y"),
    ]

    @Test(arguments: html) func `HTML as it reads`(_ text: String, _ expected: String?) {
        #expect(PlainText.ofHTML(text, bytesMax: 1024) == expected)
    }

    @Test func `a text is cut between two characters`() {
        #expect(PlainText.plain("abcdef", bytesMax: 6) == "abcdef")
        #expect(PlainText.plain("abcdef", bytesMax: 5) == "abcde")
        #expect(PlainText.plain("ab cdef", bytesMax: 3) == "ab")
        #expect(PlainText.plain("äää", bytesMax: 5) == "ää")
        #expect(PlainText.plain("x👨‍👩‍👧y", bytesMax: 18) == "x")
        #expect(PlainText.plain("x👨‍👩‍👧y", bytesMax: 19) == "x👨‍👩‍👧")
        // A letter and the mark that belongs to it stay together.
        #expect(PlainText.plain("ae\u{301}", bytesMax: 2) == "a")
        #expect(PlainText.plain("e" + String(repeating: "\u{301}", count: 1000), bytesMax: 100) == nil)
    }

    static let types: [(String?, String?)] = [
        ("audio/mpeg", "audio/mpeg"), (" Audio/MPEG ; charset=x", "audio/mpeg"), (nil, nil), ("", nil), ("video", nil),
        ("a/b/c", nil), ("/b", nil), ("a/", nil), ("a b/c", nil), ("a/\(String(repeating: "b", count: 254))", nil),
    ]

    @Test(arguments: types) func `a media type, or none`(_ text: String?, _ expected: String?) {
        #expect(PlainText.mediaType(text) == expected)
    }
}
