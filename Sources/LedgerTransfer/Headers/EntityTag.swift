/// An `ETag` (RFC 9110, section 8.8.3).
package struct EntityTag: Hashable, Sendable {
    /// Whether two answers with this tag may differ in their bytes.
    package let isWeak: Bool
    /// The tag with its quotes, as it goes into `If-Range`.
    package let quoted: String

    /// Parses `"tag"` or `W/"tag"`. Returns nil for anything else, also for a tag without quotes: origins that drop
    /// them do not understand them in `If-Range` either; and for one that is not in ASCII: its bytes are not known any
    /// more once they were read as text, and two texts may be equal whose bytes are not.
    package init?(parsing text: String) {
        let trimmed = Array(text.utf8).trimmedText
        isWeak = trimmed.hasPrefix("W/") || trimmed.hasPrefix("w/")
        let tag = isWeak ? String(trimmed.dropFirst(2)) : trimmed
        guard tag.utf8.count >= 2, tag.hasPrefix("\""), tag.hasSuffix("\"") else { return nil }
        let inside = tag.utf8.dropFirst().dropLast()
        guard inside.allSatisfy({ (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "\"") }) else { return nil }
        quoted = tag
    }
}
