extension JSONValue: CustomStringConvertible {
    /// The value on one line, without spaces between tokens.
    package var description: String { String(decoding: utf8, as: UTF8.self) }

    /// The bytes of ``description``.
    package var utf8: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(256)
        write(to: &bytes)
        return bytes
    }

    /// Appends the value's text, for writers that render many rows into one buffer.
    package func write(to bytes: inout [UInt8]) {
        switch self {
        case .null: bytes.append(contentsOf: "null".utf8)
        case .bool(let flag): bytes.append(contentsOf: (flag ? "true" : "false").utf8)
        case .int(let number): bytes.append(contentsOf: String(number).utf8)
        case .uint(let number): bytes.append(contentsOf: String(number).utf8)
        case .double(let number): bytes.append(contentsOf: (number.isFinite ? number.description : "null").utf8)
        case .string(let text): Self.writeQuoted(text, to: &bytes)
        case .array(let values): Self.writeArray(values, to: &bytes)
        case .object(let object): Self.writeObject(object, to: &bytes)
        }
    }

    private static func writeArray(_ values: [JSONValue], to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "["))
        for (index, value) in values.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            value.write(to: &bytes)
        }
        bytes.append(UInt8(ascii: "]"))
    }

    private static func writeObject(_ object: JSONObject, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "{"))
        for (index, member) in object.members.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            writeQuoted(member.name, to: &bytes)
            bytes.append(UInt8(ascii: ":"))
            member.value.write(to: &bytes)
        }
        bytes.append(UInt8(ascii: "}"))
    }

    /// Quotes a text: quotation mark, reverse solidus and the controls U+0000 to U+001F are escaped, and no more
    /// (RFC 8259, section 7).
    private static func writeQuoted(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(byte)
            case 8: bytes.append(contentsOf: "\\b".utf8)
            case 9: bytes.append(contentsOf: "\\t".utf8)
            case 10: bytes.append(contentsOf: "\\n".utf8)
            case 12: bytes.append(contentsOf: "\\f".utf8)
            case 13: bytes.append(contentsOf: "\\r".utf8)
            case 0..<32:
                bytes.append(contentsOf: "\\u00".utf8)
                bytes.append(contentsOf: (byte < 16 ? "0" : "1").utf8)
                bytes.append(contentsOf: String(byte % 16, radix: 16).utf8)
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}
