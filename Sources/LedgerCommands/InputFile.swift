/// A list of downloads in the grammar of aria2's input files.
///
/// A line holds the URLs of one entity with tabs between them; lines that follow it and start with white space are its
/// options, `name=value`; a line that starts with `#`, after white space or not, is a comment; empty lines are passed
/// over, and so is a byte-order mark.
struct InputFile: Hashable, Sendable {
    /// The longest line, in bytes of UTF-8: eight of the longest URLs.
    static let lineBytesMax = 64 << 10

    /// One download of the list.
    struct Item: Hashable, Sendable {
        /// The first is fetched; the others are mirrors.
        var urls: [String]
        /// Its options, in order.
        var options: [Option]
        /// Where it stands, counted from 1.
        var line: Int
    }

    /// An option of a download.
    struct Option: Hashable, Sendable {
        /// The name before the first `=`.
        var name: String
        /// Everything behind it.
        var value: String
        /// Where it stands, counted from 1.
        var line: Int
    }

    /// A line that does not fit the grammar; the whole file is refused.
    struct SyntaxError: Error, Hashable, Sendable {
        /// Where it stands, counted from 1.
        var line: Int
        /// What is wrong with it.
        var reason: String
    }

    /// The downloads, in order.
    private(set) var items: [Item] = []

    /// Parses a whole file.
    /// - Throws: ``SyntaxError`` for an option without a download above it, or without a `=`, and for a line longer
    ///   than ``lineBytesMax``.
    init(parsing text: String) throws(SyntaxError) {
        // By scalars: a space that carries a combining mark is another character, but white space all the same.
        var rest = text.unicodeScalars[...]
        if rest.first == "\u{FEFF}" { rest.removeFirst() }
        var number = 0
        while !rest.isEmpty {
            number += 1
            let line = rest.prefix { !Self.isNewline($0) }
            rest = rest[line.endIndex...]
            // These two end one line together.
            if rest.popFirst() == "\r", rest.first == "\n" { rest.removeFirst() }
            try take(line, number)
        }
    }

    private mutating func take(_ line: Substring.UnicodeScalarView, _ number: Int) throws(SyntaxError) {
        let content = line.drop { $0 == " " || $0 == "\t" }
        guard let first = line.first, let begin = content.first, begin != "#" else { return }
        let bytes = Substring(line).utf8
        guard bytes.count <= Self.lineBytesMax else {
            throw SyntaxError(
                line: number, reason: "it is \(bytes.count) bytes long, and \(Self.lineBytesMax) are the most")
        }
        if first == " " || first == "\t" {
            try add(option: content, line: number)
        } else {
            let urls = bytes.split(separator: UInt8(ascii: "\t")).map { String(Substring($0)) }
            items.append(Item(urls: urls, options: [], line: number))
        }
    }

    /// What ends a line of Unicode text.
    private static func isNewline(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x0A...0x0D, 0x85, 0x2028, 0x2029: true
        default: false
        }
    }

    private mutating func add(option: Substring.UnicodeScalarView, line: Int) throws(SyntaxError) {
        guard let equals = option.firstIndex(of: "=") else {
            throw SyntaxError(line: line, reason: "an option is NAME=VALUE")
        }
        guard !items.isEmpty else { throw SyntaxError(line: line, reason: "an option stands before any URL") }
        var name = ""
        for scalar in option[..<equals] where scalar != " " && scalar != "\t" { name.unicodeScalars.append(scalar) }
        var value = option[option.index(after: equals)...]
        while let last = value.last, last == " " || last == "\t" { value.removeLast() }
        items[items.count - 1].options.append(Option(name: name, value: String(Substring(value)), line: line))
    }
}
