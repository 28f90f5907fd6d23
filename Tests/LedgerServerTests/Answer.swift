import LedgerCoding
import Testing

/// What the server answered.
struct Answer: Sendable {
    let status: Int
    /// The fields in their order, names in lower case.
    let fields: [(name: String, value: String)]
    let body: [UInt8]

    /// The value of a field; nil when there is none.
    subscript(_ name: String) -> String? { fields.first { $0.name == name }?.value }

    /// All of it, as it may be looked through for what must not be in it.
    var whole: String { fields.map { "\($0.name): \($0.value)\n" }.joined() + text }

    /// The body as text.
    var text: String { String(decoding: body, as: UTF8.self) }

    /// The body as JSON.
    var json: JSONValue {
        get throws { try JSONValue(parsing: body) }
    }

    /// The lines of the body, each as JSON.
    var lines: [JSONValue] {
        get throws { try text.split(separator: "\n").map { try JSONValue(parsing: Array($0.utf8)) } }
    }
}

extension Answer {
    /// A head: the status and the fields, taken from the front of bytes; nil when it is not whole.
    static func head(_ bytes: inout [UInt8]) throws -> Answer? {
        guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
        let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n")
        let status = try #require(
            lines.first.flatMap { $0.split(separator: " ").dropFirst().first.flatMap { Int($0) } })
        let fields = try lines.dropFirst().map { line in
            let colon = try #require(line.firstIndex(of: ":"))
            return (String(line[..<colon]).lowercased(), line[line.index(after: colon)...].drop { $0 == " " })
        }
        bytes.removeSubrange(..<end.upperBound)
        return Answer(status: status, fields: fields.map { ($0.0, String($0.1)) }, body: [])
    }

    /// A chunk of the chunked coding; nil when it is not whole, empty at the end.
    static func chunk(_ bytes: inout [UInt8]) throws -> [UInt8]? {
        guard let end = bytes.firstRange(of: Array("\r\n".utf8)) else { return nil }
        let count = try #require(Int(String(decoding: bytes[..<end.lowerBound], as: UTF8.self), radix: 16))
        guard bytes.count >= end.upperBound + count + 2 else { return nil }
        let chunk = Array(bytes[end.upperBound..<end.upperBound + count])
        bytes.removeSubrange(..<(end.upperBound + count + 2))
        return chunk
    }
}

extension Wire {
    /// The answer to a request that was sent; nil when the other side closed without one.
    /// - Parameter isHead: whether it was asked with `HEAD`, which is answered without a body.
    func answer(isHead: Bool = false) async throws -> Answer? {
        guard let head = try await take({ bytes, _ in try Answer.head(&bytes) }) else { return nil }
        guard !isHead, ![204, 304].contains(head.status) else { return head }
        var body: [UInt8] = []
        if let count = head["content-length"].flatMap({ Int($0) }) {
            body =
                try await take { bytes, _ in
                    guard bytes.count >= count else { return nil }
                    defer { bytes.removeFirst(count) }
                    return Array(bytes.prefix(count))
                } ?? []
        } else if head["transfer-encoding"] == "chunked" {
            while let chunk = try await take({ bytes, _ in try Answer.chunk(&bytes) }), !chunk.isEmpty { body += chunk }
        }
        return Answer(status: head.status, fields: head.fields, body: body)
    }
}

extension JSONValue {
    /// A member of an object; nil when there is none, or it is null.
    subscript(_ name: String) -> JSONValue? {
        guard case .object(let object) = self, let value = object[name], value != .null else { return nil }
        return value
    }

    /// The values of a list; none of anything else.
    var list: [JSONValue] { if case .array(let values) = self { values } else { [] } }

    /// The members of an object; none of anything else.
    var members: [(name: String, value: JSONValue)] {
        if case .object(let object) = self { object.members.map { ($0.name, $0.value) } } else { [] }
    }

    /// The text that it is.
    var text: String? { if case .string(let text) = self { text } else { nil } }

    /// The number that it is.
    var number: UInt64? { if case .uint(let number) = self { number } else { nil } }
}

/// Texts of tests are put together in place.
extension JSONValue: ExpressibleByStringInterpolation {}
