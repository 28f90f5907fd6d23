/// Text fitted into columns of a terminal.
package enum TextWidth {
    /// How many columns a text takes: wide characters of East Asia and emoji take two, combining ones none.
    package static func columns(of text: some StringProtocol) -> Int {
        isPlain(text) ? text.utf8.count : text.reduce(0) { $0 + columns(of: $1) }
    }

    /// Whether all of a text is visible ASCII or a space, as most is: no property of Unicode is looked up for that.
    private static func isPlain(_ text: some StringProtocol) -> Bool {
        text.utf8.allSatisfy { (0x20..<0x7F).contains($0) }
    }

    /// The text with control characters made visible, and those that break a line or turn its direction round, so that
    /// a file name can not steer the terminal.
    package static func printable(_ text: String) -> String {
        guard !isPlain(text), text.unicodeScalars.contains(where: steers) else { return text }
        return String(String.UnicodeScalarView(text.unicodeScalars.map { steers($0) ? "\u{FFFD}" : $0 }))
    }

    private static func steers(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: scalar.properties.isBidiControl
        }
    }

    /// The text cut in its middle with `…` when it takes more than `width` columns.
    package static func shortened(_ text: String, to width: Int) -> String {
        guard columns(of: text) > width else { return text }
        guard width > 1 else { return String(repeating: "…", count: max(0, width)) }
        let tail = prefix(String(text.reversed()), columns: (width - 1) / 2)
        return prefix(text, columns: width - 1 - columns(of: tail)) + "…" + String(tail.reversed())
    }

    /// The text made exactly `width` columns wide: shortened, or filled with spaces.
    package static func fitted(_ text: String, to width: Int, rightAligned: Bool = false) -> String {
        let text = shortened(text, to: width)
        let space = String(repeating: " ", count: max(0, width - columns(of: text)))
        return rightAligned ? space + text : text + space
    }

    private static func prefix(_ text: String, columns limit: Int) -> String {
        var (kept, width) = ("", 0)
        for character in text {
            width += columns(of: character)
            guard width <= limit else { break }
            kept.append(character)
        }
        return kept
    }

    private static func columns(of character: Character) -> Int {
        guard let scalar = character.unicodeScalars.first else { return 0 }
        // A picture: one by itself, or one asked for by a selector behind it.
        if scalar.properties.isEmojiPresentation || character.unicodeScalars.contains("\u{FE0F}") { return 2 }
        switch scalar.value {
        case 0..<32, 127: return 0
        case 32..<0x300: return 1
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
            0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x20000...0x3FFFD:
            return 2
        default:
            return [.nonspacingMark, .enclosingMark, .format].contains(scalar.properties.generalCategory) ? 0 : 1
        }
    }
}
