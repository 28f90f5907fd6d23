import LedgerCoding

/// A value of an answer. Almost everything is a text, as aria2 has it: numbers too.
enum WireValue: Hashable, Sendable {
    case text(String)
    case number(Int64)
    case list([WireValue])
    /// Members in the order of their names: aria2 writes them so.
    case object([Member])
    /// What a client sent, and gets back as it is.
    case echo(JSONValue)
    /// What is written already.
    case written([UInt8])

    struct Member: Hashable, Sendable {
        let name: String
        let value: WireValue
    }

    static let ok = WireValue.text("OK")

    /// An object of members in any order.
    static func object(of members: some Sequence<(String, WireValue)>) -> WireValue {
        .object(members.map { Member(name: $0.0, value: $0.1) }.sorted { $0.name < $1.name })
    }

    /// A whole number as a text.
    static func count(_ number: some BinaryInteger) -> WireValue { .text(String(number)) }

    /// Appends the value's JSON as aria2 writes it.
    func write(to bytes: inout [UInt8]) {
        switch self {
        case .text(let text): Self.write(text, to: &bytes)
        case .number(let number): bytes.append(contentsOf: String(number).utf8)
        case .list(let values):
            bytes.append(UInt8(ascii: "["))
            for (index, value) in values.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                value.write(to: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let members): Self.write(members.lazy.map { ($0.name, $0.value) }, to: &bytes)
        case .echo(let value): Self.write(value, to: &bytes)
        case .written(let text): bytes += text
        }
    }

    private static func write(
        _ members: some Sequence<(String, WireValue)>, to bytes: inout [UInt8]
    ) {
        bytes.append(UInt8(ascii: "{"))
        for (index, member) in members.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            write(member.0, to: &bytes)
            bytes.append(UInt8(ascii: ":"))
            member.1.write(to: &bytes)
        }
        bytes.append(UInt8(ascii: "}"))
    }

    private static func write(_ value: JSONValue, to bytes: inout [UInt8]) {
        switch value {
        case .null, .bool, .int, .uint, .double: value.write(to: &bytes)
        case .string(let text): write(text, to: &bytes)
        case .array(let values): WireValue.list(values.map { .echo($0) }).write(to: &bytes)
        case .object(let object):
            WireValue.object(of: object.members.map { ($0.name, .echo($0.value)) }).write(to: &bytes)
        }
    }

    /// A text in quotation marks: unlike others, aria2 escapes the slash.
    private static func write(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"):
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(byte)
            case 8: bytes.append(contentsOf: #"\b"#.utf8)
            case 9: bytes.append(contentsOf: #"\t"#.utf8)
            case 10: bytes.append(contentsOf: #"\n"#.utf8)
            case 12: bytes.append(contentsOf: #"\f"#.utf8)
            case 13: bytes.append(contentsOf: #"\r"#.utf8)
            case 0..<32: bytes.append(contentsOf: (#"\u00"# + [byte].hexadecimal).utf8)
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}

extension [UInt8] {
    fileprivate var hexadecimal: String {
        map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined()
    }
}
