/// Takes HTML apart into tags and texts: never fails, and goes over the bytes once.
struct HTMLScanner {
    /// The longest name of a tag that is looked at, in bytes; a longer one is cut, which no name that counts is.
    static let nameBytesMax = 32

    /// A tag; a comment or a declaration is one without a name.
    struct Tag {
        /// In lower case.
        let name: String
        let isEnd: Bool
        /// Where its attributes stand, of all bytes.
        let inside: Range<Int>
    }

    enum Piece {
        case tag(Tag)
        /// Text whose references are not resolved.
        case text(ArraySlice<UInt8>)
    }

    private let bytes: [UInt8]
    private var index = 0
    /// Whether a tag was found that does not end: no other is looked for then, or each might be searched to the end.
    private var holdsNoMoreTags = false

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// What comes next; nil at the end.
    mutating func next() -> Piece? {
        guard index < bytes.count else { return nil }
        if bytes[index] == UInt8(ascii: "<"), !holdsNoMoreTags, let tag = takeTag() { return .tag(tag) }
        let start = index
        repeat { index += 1 } while index < bytes.count && (holdsNoMoreTags || bytes[index] != UInt8(ascii: "<"))
        return .text(bytes[start..<index])
    }

    /// The tag that starts here; nil when the `<` is just a character.
    private mutating func takeTag() -> Tag? {
        let rest = bytes[(index + 1)...]
        guard let mark = rest.first else { return nil }
        let isEnd = mark == UInt8(ascii: "/")
        let isComment = rest.starts(with: "!--".utf8)
        let name = rest.dropFirst(isEnd ? 1 : 0).prefix(Self.nameBytesMax).prefix(while: Self.isNameByte)
        guard mark == UInt8(ascii: "!") || mark == UInt8(ascii: "?") || name.first.map(Self.isLetter) == true else {
            return nil
        }
        guard let end = isComment ? endOfComment(index + 4) : endOfTag(name.endIndex) else {
            holdsNoMoreTags = true
            return nil
        }
        index = end + 1
        return Tag(
            name: String(decoding: name, as: UTF8.self).lowercased(), isEnd: isEnd, inside: name.endIndex..<end)
    }

    private func endOfComment(_ start: Int) -> Int? {
        bytes.indices[min(start, bytes.count)...].first {
            bytes[$0] == UInt8(ascii: ">") && bytes[$0 - 1] == UInt8(ascii: "-") && bytes[$0 - 2] == UInt8(ascii: "-")
        }
    }

    /// The next `>` that is not in the quotes of an attribute.
    private func endOfTag(_ start: Int) -> Int? {
        var quote: UInt8?
        var last: UInt8 = 0
        for index in start..<bytes.count {
            let byte = bytes[index]
            if let open = quote {
                if byte == open { quote = nil }
            } else if byte == UInt8(ascii: ">") {
                return index
            } else if last == UInt8(ascii: "="), byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            }
            if !ListingReader.isSpace(byte) { last = byte }
        }
        return nil
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (65...90).contains(byte & 0xDF) }
    private static func isNameByte(_ byte: UInt8) -> Bool {
        isLetter(byte) || (48...58).contains(byte) || byte == UInt8(ascii: "-")
    }
}

extension HTMLScanner {
    /// The attributes of a tag by their names in lower case, references resolved; of equal names the first counts.
    func attributes(of tag: Tag) -> [String: String] {
        var attributes: [String: String] = [:]
        var rest = bytes[tag.inside]
        while true {
            rest = rest.drop { ListingReader.isSpace($0) || $0 == UInt8(ascii: "/") }
            guard !rest.isEmpty else { return attributes }
            let name = rest.prefix { !ListingReader.isSpace($0) && $0 != UInt8(ascii: "=") }
            rest = rest[name.endIndex...].drop(while: ListingReader.isSpace)
            var value = rest.prefix(0)
            if rest.first == UInt8(ascii: "=") {
                rest = rest.dropFirst().drop(while: ListingReader.isSpace)
                if let quote = rest.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
                    value = rest.dropFirst().prefix { $0 != quote }
                    rest = rest[value.endIndex...].dropFirst()
                } else {
                    value = rest.prefix { !ListingReader.isSpace($0) }
                    rest = rest[value.endIndex...]
                }
            }
            var resolved: [UInt8] = []
            CharacterReference.resolve(value, into: &resolved)
            let key = String(decoding: name, as: UTF8.self).lowercased()
            if attributes[key] == nil { attributes[key] = String(decoding: resolved, as: UTF8.self) }
        }
    }
}
