package import LedgerModel

/// An object whose members are read one by one, each as what it should be.
package struct JSONFields: Hashable, Sendable {
    private let object: JSONObject

    /// The members of an object.
    /// - Throws: ``JSONProblem`` when the value is none.
    package init(_ value: JSONValue) throws(JSONProblem) {
        guard case .object(let object) = value else { throw JSONProblem("it is no JSON object") }
        self.object = object
    }

    /// Whether there is such a member, be it null.
    package func has(_ name: String) -> Bool { object[name] != nil }

    /// A member that may be missing or null, as `read` understands it.
    /// - Throws: ``JSONProblem`` when it is there and `read` gives nil.
    package func optional<Value>(
        _ name: String, _ read: (JSONValue) throws(JSONProblem) -> Value?
    ) throws(JSONProblem) -> Value? {
        guard let value = object[name], value != .null else { return nil }
        guard let meant = try read(value) else { throw JSONProblem("'\(name)' is not what it should be") }
        return meant
    }

    /// A member that must be there, as `read` understands it.
    package func required<Value>(
        _ name: String, _ read: (JSONValue) throws(JSONProblem) -> Value?
    ) throws(JSONProblem) -> Value {
        guard let value = try optional(name, read) else { throw JSONProblem("'\(name)' is missing") }
        return value
    }

    /// A whole number within its type.
    package func number<Value: FixedWidthInteger>(_ name: String) throws(JSONProblem) -> Value {
        try required(name) { $0.whole() }
    }

    /// A text.
    package func text(_ name: String) throws(JSONProblem) -> String { try required(name) { $0.text } }

    /// A text that may be missing.
    package func optionalText(_ name: String) throws(JSONProblem) -> String? { try optional(name) { $0.text } }

    /// A flag; a missing one is false.
    package func flag(_ name: String) throws(JSONProblem) -> Bool { try optional(name) { $0.flag } ?? false }

    /// Texts in a list; a missing list is empty.
    package func texts(_ name: String) throws(JSONProblem) -> [String] { try optional(name) { $0.texts } ?? [] }

    /// An object in a member.
    package func fields(_ name: String) throws(JSONProblem) -> JSONFields {
        try required(name) { value throws(JSONProblem) in try JSONFields(value) }
    }

    /// An instant, written as RFC 3339.
    package func time(_ name: String) throws(JSONProblem) -> Timestamp? {
        try optional(name) { $0.text.flatMap { Timestamp(rfc3339: $0) } }
    }

    /// A digest, written `sha-256:hex`.
    package func digest(_ name: String) throws(JSONProblem) -> Digest? {
        try optional(name) { $0.text.flatMap { Digest(parsing: $0) } }
    }

    /// A SHA-256.
    package func sha256(_ name: String) throws(JSONProblem) -> Digest? {
        guard let digest = try digest(name) else { return nil }
        guard digest.algorithm == .sha256 else { throw JSONProblem("'\(name)' is no SHA-256") }
        return digest
    }

    /// A sequence number, 1 or more.
    package func sequence(_ name: String) throws(JSONProblem) -> SequenceNumber? {
        try optional(name) { value in
            value.whole().flatMap { (1...UInt64(Int64.max)).contains($0) ? SequenceNumber($0) : nil }
        }
    }
}

extension JSONValue {
    var text: String? {
        if case .string(let text) = self { text } else { nil }
    }

    var flag: Bool? {
        if case .bool(let flag) = self { flag } else { nil }
    }

    var list: [JSONValue]? {
        if case .array(let values) = self { values } else { nil }
    }

    var texts: [String]? {
        guard let list else { return nil }
        let texts = list.compactMap(\.text)
        return texts.count == list.count ? texts : nil
    }

    func whole<Value: FixedWidthInteger>() -> Value? {
        switch self {
        case .int(let number): Value(exactly: number)
        case .uint(let number): Value(exactly: number)
        case .null, .bool, .double, .string, .array, .object: nil
        }
    }

    /// Whether every member of this value is in another with the same value, in whatever order and whichever way
    /// whole numbers are held; lists have the same elements.
    package func isCovered(by other: JSONValue) -> Bool {
        switch (self, other) {
        case (.object(let mine), .object(let others)):
            mine.members.allSatisfy { member in others[member.name].map { member.value.isCovered(by: $0) } ?? false }
        case (.array(let mine), .array(let others)):
            mine.count == others.count && zip(mine, others).allSatisfy { $0.isCovered(by: $1) }
        case (.int(let one), .uint(let other)), (.uint(let other), .int(let one)): one >= 0 && UInt64(one) == other
        default: self == other
        }
    }
}
