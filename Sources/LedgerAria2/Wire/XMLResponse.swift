import LedgerCoding

/// An answer of XML-RPC as aria2 writes it, made of the value that the answer in JSON holds.
struct XMLResponse {
    /// The bytes of the document.
    private(set) var bytes = Array(#"<?xml version="1.0"?><methodResponse>"#.utf8)

    /// The answer of a method.
    /// - Parameter isOfCalls: whether it is a list of answers, in which an object is a call that failed.
    init(_ value: JSONValue, isOfCalls: Bool) {
        put("<params><param>")
        if isOfCalls, case .array(let answers) = value {
            writeArray(answers) { response, answer in
                if case .object(let fault) = answer { return response.writeFault(fault["code"], fault["message"]) }
                response.write(answer)
            }
        } else {
            write(value)
        }
        put("</param></params></methodResponse>")
    }

    /// What a call is refused with.
    init(faultCode: Int64, _ message: String) {
        put("<fault>")
        writeFault(.int(faultCode), .string(message))
        put("</fault></methodResponse>")
    }

    private mutating func writeFault(_ code: JSONValue?, _ message: JSONValue?) {
        write(.object(["faultCode": code ?? .null, "faultString": message ?? .null]))
    }

    private mutating func put(_ markup: String) { bytes.append(contentsOf: markup.utf8) }

    private mutating func writeArray(_ values: [JSONValue], _ each: (inout XMLResponse, JSONValue) -> Void) {
        put("<value><array><data>")
        for value in values { each(&self, value) }
        put("</data></array></value>")
    }

    private mutating func write(_ value: JSONValue) {
        switch value {
        case .array(let values): return writeArray(values) { $0.write($1) }
        case .object(let object):
            put("<value><struct>")
            for member in object.members {
                put("<member><name>")
                write(text: member.name)
                put("</name>")
                write(member.value)
                put("</member>")
            }
            return put("</struct></value>")
        case .string(let text):
            put("<value><string>")
            write(text: text)
            put("</string></value>")
        case .int, .uint:
            put("<value><int>")
            write(text: value.description)
            put("</int></value>")
        case .double:
            put("<value><double>")
            write(text: value.description)
            put("</double></value>")
        case .bool(let isTrue):
            put("<value><boolean>")
            write(text: isTrue ? "1" : "0")
            put("</boolean></value>")
        case .null: put("<value><nil/></value>")
        }
    }

    /// What XML can not hold (production 2: most control characters) becomes U+FFFD.
    private mutating func write(text: String) {
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": put("&amp;")
            case "<": put("&lt;")
            case ">": put("&gt;")
            // A reader would make a line feed of it.
            case "\r": put("&#13;")
            case "\t", "\n", "\u{20}"..."\u{FFFD}", "\u{10000}"...: bytes.append(contentsOf: String(scalar).utf8)
            default: bytes.append(contentsOf: "\u{FFFD}".utf8)
            }
        }
    }
}
