/// Characters, references, and the steps over bytes.
extension XMLReader {
    /// The text up to the next tag, with its references resolved.
    mutating func takeText() throws(XMLProblem) -> [UInt8] {
        var text: [UInt8] = []
        while index < bytes.count, bytes[index] != UInt8(ascii: "<") {
            if bytes[index] == UInt8(ascii: "&") {
                text += try takeReference()
            } else {
                if bytes[index] == UInt8(ascii: "]"), has("]]>") { throw problem("']]>' stands in a text") }
                text.append(bytes[index])
                advance(by: 1)
            }
        }
        if open.isEmpty, !text.allSatisfy(Self.isSpace) { throw problem("text stands outside of every element") }
        return text
    }

    /// `&amp;` and its kin, `&#N;` or `&#xH;`: in UTF-8 what it stands for.
    mutating func takeReference() throws(XMLProblem) -> [UInt8] {
        let start = index + 1
        let inside = bytes[start..<min(start + 10, bytes.count)].prefix { $0 != UInt8(ascii: ";") }
        guard inside.endIndex < bytes.count, bytes[inside.endIndex] == UInt8(ascii: ";") else {
            throw problem("a '&' starts no reference")
        }
        let name = try string(inside)
        index = inside.endIndex + 1
        switch name {
        case "amp": return [UInt8(ascii: "&")]
        case "lt": return [UInt8(ascii: "<")]
        case "gt": return [UInt8(ascii: ">")]
        case "quot": return [UInt8(ascii: "\"")]
        case "apos": return [UInt8(ascii: "'")]
        default:
            let isHex = name.hasPrefix("#x")
            let digits = name.dropFirst(isHex ? 2 : 1)
            // Swift's numbers may have a sign.
            let number = digits.first == "+" ? nil : UInt32(digits, radix: isHex ? 16 : 10)
            guard name.hasPrefix("#"), let number, let scalar = Unicode.Scalar(number), Self.isCharacter(scalar) else {
                throw problem("'&\(name);' stands for nothing that is known here")
            }
            return Array(String(Character(scalar)).utf8)
        }
    }

    /// What stands between two marks, the first of which is next; goes behind the second.
    mutating func take(_ start: String, through end: String) throws(XMLProblem) -> [UInt8] {
        advance(by: start.utf8.count)
        let first = index
        while index < bytes.count {
            if has(end) {
                let inside = Array(bytes[first..<index])
                advance(by: end.utf8.count)
                return inside
            }
            advance(by: 1)
        }
        throw problem("what '\(start)' starts does not end with '\(end)'")
    }

    /// Goes behind a mark if it is next.
    mutating func take(_ mark: String) -> Bool {
        guard has(mark) else { return false }
        advance(by: mark.utf8.count)
        return true
    }

    /// Goes over white space; whether there was any.
    mutating func takeSpace() -> Bool {
        let start = index
        while index < bytes.count, Self.isSpace(bytes[index]) { advance(by: 1) }
        return index > start
    }

    /// Whether a mark is next.
    func has(_ mark: String) -> Bool {
        let mark = mark.utf8
        return bytes.count - index >= mark.count && zip(mark, bytes[index...]).allSatisfy { $0 == $1 }
    }

    /// Goes on, counting lines.
    mutating func advance(by count: Int) {
        for byte in bytes[index..<index + count] where byte == UInt8(ascii: "\n") { line += 1 }
        index += count
    }

    /// Bytes as text, which must be UTF-8 and hold only what XML allows.
    func string(_ bytes: ArraySlice<UInt8>) throws(XMLProblem) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw problem("the text is not in UTF-8") }
        guard text.unicodeScalars.allSatisfy(Self.isCharacter) else {
            throw problem("a control character stands in the text")
        }
        return text
    }

    /// A problem in the line that is read.
    package func problem(_ reason: String) -> XMLProblem { XMLProblem(line: line, reason) }

    static func isSpace(_ byte: UInt8) -> Bool { byte == 32 || (9...10).contains(byte) || byte == 13 }

    /// XML 1.0, production 2.
    private static func isCharacter(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 9, 10, 13, 0x20...0xFFFD, 0x10000...: true
        default: false
        }
    }
}
