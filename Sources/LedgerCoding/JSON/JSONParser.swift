import LedgerModel

extension JSONValue {
    /// The value of a text (RFC 8259): nothing but space may stand around it.
    ///
    /// Whole numbers that fit 64 bits come as ``int(_:)`` below zero and as ``uint(_:)`` from zero on, others as
    /// ``double(_:)``.
    /// - Throws: ``JSONProblem`` for anything else, for a name that stands twice in an object, and beyond
    ///   ``JSONParser/depthMax`` and ``JSONParser/membersMax``.
    package init(parsing text: some Collection<UInt8>) throws(JSONProblem) {
        var parser = JSONParser(Array(text))
        self = try parser.document()
    }
}

/// Reads JSON texts; bounded whatever they hold.
package struct JSONParser {
    /// How deep values may stand within each other.
    package static let depthMax = 32
    /// How many members an object may have.
    package static let membersMax = 256

    private let bytes: [UInt8]
    private var place = 0

    fileprivate init(_ bytes: [UInt8]) { self.bytes = bytes }

    fileprivate mutating func document() throws(JSONProblem) -> JSONValue {
        let value = try value(depth: 0)
        skipSpace()
        guard place == bytes.count else { throw problem("something follows the value") }
        return value
    }

    private func problem(_ what: String) -> JSONProblem { JSONProblem("\(what), at byte \(place)") }

    private var next: UInt8? { place < bytes.count ? bytes[place] : nil }

    private mutating func skipSpace() {
        while let byte = next, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { place += 1 }
    }

    /// Goes past a character; false when another stands there.
    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        place += 1
        return true
    }

    private mutating func value(depth: Int) throws(JSONProblem) -> JSONValue {
        guard depth < Self.depthMax else { throw problem("values stand too deep within each other") }
        skipSpace()
        switch next {
        case UInt8(ascii: "{"): return .object(try object(depth: depth))
        case UInt8(ascii: "["): return .array(try array(depth: depth))
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return try number()
        }
    }

    private mutating func word(_ word: String, _ value: JSONValue) throws(JSONProblem) -> JSONValue {
        guard bytes[place...].starts(with: word.utf8) else { throw problem("no value stands there") }
        place += word.utf8.count
        return value
    }

    private mutating func object(depth: Int) throws(JSONProblem) -> JSONObject {
        var object: JSONObject = [:]
        place += 1
        skipSpace()
        if take("}") { return object }
        repeat {
            skipSpace()
            guard next == UInt8(ascii: "\"") else { throw problem("a member has no name") }
            let name = try string()
            skipSpace()
            guard take(":") else { throw problem("a colon is missing") }
            guard object[name] == nil else { throw problem("a name stands twice in an object") }
            guard object.members.count < Self.membersMax else { throw problem("an object has too many members") }
            object[name] = try value(depth: depth + 1)
            skipSpace()
        } while take(",")
        guard take("}") else { throw problem("an object does not end") }
        return object
    }

    private mutating func array(depth: Int) throws(JSONProblem) -> [JSONValue] {
        var values: [JSONValue] = []
        place += 1
        skipSpace()
        if take("]") { return values }
        repeat {
            values.append(try value(depth: depth + 1))
            skipSpace()
        } while take(",")
        guard take("]") else { throw problem("a list does not end") }
        return values
    }

    private mutating func number() throws(JSONProblem) -> JSONValue {
        let start = place
        let marks: Set<UInt8> = Set("+-.eE".utf8)
        while let byte = next, (48...57).contains(byte) || marks.contains(byte) { place += 1 }
        let text = String(decoding: bytes[start..<place], as: UTF8.self)
        let digits = text.drop { $0 == "-" }
        let isPlain = text.first != "+" && digits.first?.isNumber ?? false && digits.last != "."
        let isShort = digits.first != "0" || digits.count == 1 || !(digits.dropFirst().first?.isNumber ?? false)
        guard isPlain, isShort else {
            place = start
            throw problem("no value stands there")
        }
        if let number = UInt64(text) { return .uint(number) }
        if let number = Int64(text), number < 0 { return .int(number) }
        guard let number = Double(text), number.isFinite else { throw problem("a number is none, or is too large") }
        return .double(number)
    }
}

// MARK: Texts

extension JSONParser {
    private mutating func string() throws(JSONProblem) -> String {
        var text: [UInt8] = []
        place += 1
        while let byte = next {
            place += 1
            switch byte {
            case UInt8(ascii: "\""):
                guard let text = String(validating: text, as: UTF8.self) else { throw problem("a text is not UTF-8") }
                return text
            case UInt8(ascii: "\\"): try escape(into: &text)
            case 0..<0x20: throw problem("a control character stands in a text")
            default: text.append(byte)
            }
        }
        throw problem("a text does not end")
    }

    private mutating func escape(into text: inout [UInt8]) throws(JSONProblem) {
        guard let byte = next else { throw problem("a text does not end") }
        place += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
        case UInt8(ascii: "b"): text.append(8)
        case UInt8(ascii: "t"): text.append(9)
        case UInt8(ascii: "n"): text.append(10)
        case UInt8(ascii: "f"): text.append(12)
        case UInt8(ascii: "r"): text.append(13)
        case UInt8(ascii: "u"): text.append(contentsOf: String(try escapedScalar()).utf8)
        default: throw problem("an escape is unknown")
        }
    }

    /// The character of `\uXXXX`, or of two of them that are a surrogate pair.
    private mutating func escapedScalar() throws(JSONProblem) -> Character {
        let first = try unit()
        var value = UInt32(first)
        if UTF16.isLeadSurrogate(first) {
            guard take("\\"), take("u"), case let second = try unit(), UTF16.isTrailSurrogate(second) else {
                throw problem("half of a surrogate pair stands alone")
            }
            value = 0x1_0000 + (UInt32(first) - 0xD800) << 10 + UInt32(second) - 0xDC00
        }
        guard let scalar = Unicode.Scalar(value) else { throw problem("half of a surrogate pair stands alone") }
        return Character(scalar)
    }

    private mutating func unit() throws(JSONProblem) -> UInt16 {
        guard place + 4 <= bytes.count,
            let pair = [UInt8](hex: String(decoding: bytes[place..<place + 4], as: UTF8.self)), pair.count == 2
        else { throw problem("an escape is unknown") }
        place += 4
        return UInt16(pair[0]) << 8 | UInt16(pair[1])
    }
}
