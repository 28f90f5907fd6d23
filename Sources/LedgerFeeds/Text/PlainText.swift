import LedgerModel

/// Texts as people read them: on one line, without markup, without control characters, bounded.
enum PlainText {
    /// A text with each run of white space made one space, cut to a bound between two characters; nil when nothing is
    /// left.
    static func plain(_ text: String, bytesMax: Int) -> String? {
        var scalars = String.UnicodeScalarView()
        var bytes = 0
        var wantsSpace = false
        // One character more than fits says where the last that fits ends.
        for scalar in text.unicodeScalars where bytes <= bytesMax {
            if scalar.properties.isWhitespace {
                wantsSpace = !scalars.isEmpty
            } else if scalar.properties.generalCategory != .control, scalar != "\u{FEFF}" {
                if wantsSpace { scalars.append(" ") }
                scalars.append(scalar)
                bytes += UTF8.width(scalar) + (wantsSpace ? 1 : 0)
                wantsSpace = false
            }
        }
        let cut = bytes <= bytesMax ? String(scalars) : prefix(of: String(scalars), bytesMax: bytesMax)
        return cut.isEmpty ? nil : cut
    }

    /// A text in HTML: its tags taken out, its references resolved.
    ///
    /// A tag parts words, but for those that stand inside of words (`<b>`). What a page does not show is left out.
    static func ofHTML(_ html: String, bytesMax: Int) -> String? {
        // Most titles are no HTML at all.
        guard html.utf8.contains(where: { $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: "&") }) else {
            return plain(html, bytesMax: bytesMax)
        }
        var scanner = HTMLScanner(Array(html.utf8))
        var text: [UInt8] = []
        var hidden: String?
        while let piece = scanner.next() {
            switch piece {
            case .text(let bytes): if hidden == nil { CharacterReference.resolve(bytes, into: &text) }
            case .tag(let tag):
                if hidden == nil, !tag.isEnd, hiding.contains(tag.name) { hidden = tag.name }
                if tag.isEnd, tag.name == hidden { hidden = nil }
                if !inline.contains(tag.name) { text.append(UInt8(ascii: " ")) }
            }
        }
        return plain(String(decoding: text, as: UTF8.self), bytesMax: bytesMax)
    }

    /// A media type in lower case without its parameters; nil when it is none.
    static func mediaType(_ text: String?) -> String? {
        guard let type = text?.prefix(while: { $0 != ";" }).trimmingSpace().lowercased() else { return nil }
        guard type.utf8.count <= ListingReader.mediaTypeBytesMax, type.utf8.allSatisfy({ (33...126).contains($0) }),
            type.split(separator: "/", omittingEmptySubsequences: false).map(\.isEmpty) == [false, false]
        else { return nil }
        return type
    }

    /// Whether an element stands inside of words, so that its tags do not part them.
    static func isInline(_ name: String) -> Bool { inline.contains(name) }

    private static let inline: Set<String> = [
        "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "del", "em", "font", "i", "ins", "kbd",
        "mark", "q", "s", "small", "span", "strike", "strong", "sub", "sup", "tt", "u", "var", "wbr",
    ]
    private static let hiding: Set<String> = ["script", "style", "head", "template"]

    private static func prefix(of text: String, bytesMax: Int) -> String {
        var bytes = 0
        let end = text.indices.first { index in
            bytes += text[index].utf8.count
            return bytes > bytesMax
        }
        return String(text[..<(end ?? text.endIndex)]).trimmingSpace()
    }
}
