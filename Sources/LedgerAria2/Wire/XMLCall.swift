import LedgerCoding
import LedgerTransfer

/// A call of XML-RPC (https://xmlrpc.com/spec.md, with the `i8` and `nil` that clients add to it), as the values that a
/// call in JSON has.
struct XMLCall: Hashable, Sendable {
    /// The longest text of a value, in bytes: as long as what a call may hold.
    static let textBytesMax = XMLReader.bytesMax

    let method: String
    let parameters: [JSONValue]

    /// Reads the body of a request.
    /// - Throws: ``XMLProblem``: it is no call.
    init(_ body: [UInt8]) throws(XMLProblem) {
        var reader = XMLReading(reader: try XMLReader(body))
        (method, parameters) = try reader.call()
    }
}

/// The grammar of a call over the elements of its document.
private struct XMLReading {
    var reader: XMLReader

    mutating func call() throws(XMLProblem) -> (method: String, parameters: [JSONValue]) {
        try expect("methodCall", try reader.root())
        var method: String?
        var parameters: [JSONValue] = []
        while let child = try reader.nextChild() {
            switch child.name {
            case "methodName" where method == nil: method = try text()
            case "params": parameters += try values(of: "param") { reading throws(XMLProblem) in try reading.only() }
            default: throw unexpected(child)
            }
        }
        try reader.finish()
        return (method ?? "", parameters)
    }

    /// What stands in each of the children, which are all called `name`; leaves the element.
    private mutating func values<Value>(
        of name: String, _ read: (inout XMLReading) throws(XMLProblem) -> Value
    ) throws(XMLProblem) -> [Value] {
        var values: [Value] = []
        while let child = try reader.nextChild() {
            try expect(name, child)
            values.append(try read(&self))
        }
        return values
    }

    /// The value that is all that the innermost element holds; leaves that element.
    private mutating func only() throws(XMLProblem) -> JSONValue {
        guard let child = try reader.nextChild() else { throw reader.problem("a value is missing") }
        try expect("value", child)
        let value = try value()
        try leave()
        return value
    }

    /// The value whose element was begun: a text, or what a type says; leaves that element.
    private mutating func value() throws(XMLProblem) -> JSONValue {
        switch try reader.content(bytesMax: XMLCall.textBytesMax) {
        case .text(let text): return .string(text)
        case .child(let type):
            let value = try value(of: type)
            try leave()
            return value
        }
    }

    private mutating func value(of type: XMLReader.Element) throws(XMLProblem) -> JSONValue {
        switch type.name {
        case "string", "dateTime.iso8601": return .string(try text())
        // A method takes its bytes as JSON brings them: in base64, which may be in lines here.
        case "base64": return .string(String(try text().filter { !$0.isWhitespace }))
        case "int", "i4", "i8": return try scalar(type) { Int64($0).map { .int($0) } }
        case "double": return try scalar(type) { Double($0).flatMap { $0.isFinite ? .double($0) : nil } }
        case "boolean": return try scalar(type) { ["0": .bool(false), "1": .bool(true)][$0] }
        case "nil":
            try leave()
            return .null
        case "array":
            guard let data = try reader.nextChild() else { throw reader.problem("'array' holds no 'data'") }
            try expect("data", data)
            let elements = try values(of: "value") { reading throws(XMLProblem) in try reading.value() }
            try leave()
            return .array(elements)
        case "struct":
            var object: JSONObject = [:]
            for (name, value) in try values(of: "member", { reading throws(XMLProblem) in try reading.member() }) {
                guard object.members.count < JSONParser.membersMax else { throw reader.problem("too many members") }
                object[name] = value
            }
            return .object(object)
        default: throw unexpected(type)
        }
    }

    private mutating func member() throws(XMLProblem) -> (name: String, value: JSONValue) {
        guard let name = try reader.nextChild() else { throw reader.problem("'member' holds no 'name'") }
        try expect("name", name)
        return (try text(), try only())
    }

    private mutating func scalar(
        _ type: XMLReader.Element, _ read: (String) -> JSONValue?
    ) throws(XMLProblem) -> JSONValue {
        let text = try text()
        guard let value = read(text.filter { !$0.isWhitespace }) else {
            throw reader.problem("'\(text)' is no '\(type.name)'")
        }
        return value
    }

    /// The text of the innermost element, as it stands; leaves that element.
    private mutating func text() throws(XMLProblem) -> String {
        switch try reader.content(bytesMax: XMLCall.textBytesMax) {
        case .text(let text): return text
        case .child(let child): throw unexpected(child)
        }
    }

    /// Leaves the innermost element, in which no further one is expected.
    private mutating func leave() throws(XMLProblem) {
        if let child = try reader.nextChild() { throw unexpected(child) }
    }

    private func expect(_ name: String, _ element: XMLReader.Element) throws(XMLProblem) {
        if element.name != name { throw unexpected(element) }
    }

    private func unexpected(_ element: XMLReader.Element) -> XMLProblem {
        XMLProblem(line: element.line, "'\(element.name)' is not expected here")
    }
}
