import LedgerCoding

/// A method that is called, with the id that its answer carries.
struct Call: Sendable {
    let id: JSONValue
    let method: String
    let parameters: [JSONValue]

    /// A call of JSON-RPC.
    /// - Throws: a fault, with the id it is answered under.
    static func parse(_ object: JSONObject) throws(Refused) -> Call {
        guard let id = object["id"] else { throw Refused(id: .null, fault: .invalidRequest) }
        guard case .string(let method)? = object["method"] else { throw Refused(id: id, fault: .invalidRequest) }
        switch object["params"] {
        case nil: return Call(id: id, method: method, parameters: [])
        case .array(let parameters)?: return Call(id: id, method: method, parameters: parameters)
        default: throw Refused(id: id, fault: .invalidParameters)
        }
    }

    /// What is no call, and the id that is known of it.
    struct Refused: Error {
        let id: JSONValue
        let fault: Fault
    }
}

/// What one call was answered.
struct Reply: Sendable {
    let id: JSONValue
    let outcome: Result<WireValue, Fault>

    var status: Int {
        switch outcome {
        case .success: 200
        case .failure(let fault): fault.status
        }
    }

    func write(to bytes: inout [UInt8]) {
        bytes.append(contentsOf: #"{"id":"#.utf8)
        WireValue.echo(id).write(to: &bytes)
        bytes.append(contentsOf: #","jsonrpc":"2.0","#.utf8)
        switch outcome {
        case .success(let value):
            bytes.append(contentsOf: #""result":"#.utf8)
            value.write(to: &bytes)
        case .failure(let fault):
            bytes.append(contentsOf: #""error":"#.utf8)
            fault.value.write(to: &bytes)
        }
        bytes.append(UInt8(ascii: "}"))
    }
}

extension Fault {
    /// The fault as an object of an answer.
    var value: WireValue { .object(of: [("code", .number(code)), ("message", .text(message))]) }
}
