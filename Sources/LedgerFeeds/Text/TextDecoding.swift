/// Turns a document's bytes into UTF-8, whatever it is written in.
///
/// The encoding is that of a byte order mark, of the zeros that UTF-16 has beside its first character, of the XML
/// declaration, of the media type's `charset`, or else UTF-8. Latin-1 is read as Windows-1252, as browsers do.
enum TextDecoding {
    /// How far into a document its XML declaration may reach, in bytes; of a longer one nothing is read.
    static let declarationBytesMax = 256

    /// The document in UTF-8 without a byte order mark; what can not be decoded in it becomes U+FFFD.
    /// - Throws: ``ListingProblem`` for encodings that are not known here, and for NUL characters.
    static func utf8(_ bytes: [UInt8], mediaType: String?) throws(ListingProblem) -> [UInt8] {
        var text: [UInt8]
        switch (bytes.first ?? 1, bytes.dropFirst().first ?? 1) {
        case (0xFE, 0xFF), (0, 1...): text = utf16(bytes, high: 0)
        case (0xFF, 0xFE), (1..., 0): text = utf16(bytes, high: 1)
        case (0xEF, 0xBB): text = repaired(bytes)
        default: text = try decoded(bytes, from: declaredEncoding(bytes) ?? mediaType.flatMap(charset) ?? "utf-8")
        }
        if text.starts(with: [0xEF, 0xBB, 0xBF]) { text.removeFirst(3) }
        if let place = text.firstIndex(of: 0) {
            throw ListingProblem(
                "a NUL character stands in line \(text.line(at: place)): the document is no text, or was damaged",
                next: "try again later, or check the address")
        }
        return text
    }

    private static func decoded(_ bytes: [UInt8], from encoding: String) throws(ListingProblem) -> [UInt8] {
        switch encoding {
        // A document that could be read so far as to find it saying UTF-16 is not in UTF-16.
        case "utf-8", "utf8", "us-ascii", "ascii", "utf-16": return repaired(bytes)
        case "iso-8859-1", "iso8859-1", "latin1", "windows-1252", "cp1252":
            return bytes.reduce(into: []) { $0 += UTF8.encode(windows1252($1)) ?? UTF8.encodedReplacementCharacter }
        default:
            throw ListingProblem(
                "the document is in '\(PlainText.plain(encoding, bytesMax: 64) ?? "")', which is not read here",
                next: "ask its publisher for UTF-8")
        }
    }

    private static func repaired(_ bytes: [UInt8]) -> [UInt8] { Array(String(decoding: bytes, as: UTF8.self).utf8) }

    /// From UTF-16, whose high bytes stand at even (0) or odd (1) places; half a unit at the end is dropped.
    private static func utf16(_ bytes: [UInt8], high: Int) -> [UInt8] {
        let units = stride(from: 0, to: bytes.count - 1, by: 2).map {
            UInt16(bytes[$0 + high]) << 8 | UInt16(bytes[$0 + 1 - high])
        }
        return Array(String(decoding: units, as: UTF16.self).utf8)
    }

    /// The encoding that an XML declaration names, in lower case.
    private static func declaredEncoding(_ bytes: [UInt8]) -> String? {
        let head = bytes.drop(while: ListingReader.isSpace).prefix(declarationBytesMax)
        guard head.starts(with: "<?xml".utf8) else { return nil }
        let declaration = String(decoding: head.prefix { $0 != UInt8(ascii: ">") }, as: UTF8.self)
        guard let mark = declaration.firstRange(of: "encoding") else { return nil }
        let quoted = declaration[mark.upperBound...].drop { $0 != "\"" && $0 != "'" }
        let name = quoted.dropFirst().prefix { $0 != quoted.first }.lowercased()
        return name.isEmpty ? nil : name
    }

    /// The `charset` of a media type, in lower case.
    private static func charset(_ mediaType: String) -> String? {
        let lower = mediaType.lowercased()
        guard let mark = lower.firstRange(of: "charset=") else { return nil }
        let name = lower[mark.upperBound...].prefix { $0 != ";" }.filter { $0 != "\"" && $0 != "'" && $0 != " " }
        return name.isEmpty ? nil : name
    }

    /// The character of a byte of Windows-1252.
    static func windows1252(_ byte: UInt8) -> Unicode.Scalar {
        guard (0x80...0x9F).contains(byte) else { return Unicode.Scalar(byte) }
        return Unicode.Scalar(beyondLatin1[Int(byte) - 0x80]) ?? "\u{FFFD}"
    }

    /// What Windows-1252 has where Latin-1 has controls; U+FFFD where it has nothing.
    private static let beyondLatin1: [UInt16] = [
        0x20AC, 0xFFFD, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0xFFFD,
        0x017D, 0xFFFD, 0xFFFD, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A,
        0x0153, 0xFFFD, 0x017E, 0x0178,
    ]
}

extension [UInt8] {
    /// The line, from 1, that a place stands in.
    func line(at place: Int) -> Int { self[..<place].count { $0 == UInt8(ascii: "\n") } + 1 }
}
