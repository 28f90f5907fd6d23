/// A JSON value whose objects keep their order (RFC 8259). Renders every row and event of the program.
package enum JSONValue: Hashable, Sendable {
    case null
    case bool(Bool)
    case int(Int64)
    case uint(UInt64)
    /// A finite number; infinities and NaN, which JSON does not have, are rendered as `null`.
    case double(Double)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)
}

/// The members of an object in the order they were given.
package struct JSONObject: Hashable, Sendable, ExpressibleByDictionaryLiteral {
    /// One name with its value.
    package struct Member: Hashable, Sendable {
        /// The name; unique within its object.
        package let name: String
        /// The value.
        package var value: JSONValue
    }

    /// The members in order.
    package private(set) var members: [Member]

    /// An object of members written down in order. Traps when a name appears twice.
    package init(dictionaryLiteral elements: (String, JSONValue)...) {
        members = []
        for (name, value) in elements {
            precondition(self[name] == nil, "a name stands once in an object")
            members.append(Member(name: name, value: value))
        }
    }

    /// The value of a member: setting one replaces it in place or appends it, setting nil removes it. O(members).
    package subscript(name: String) -> JSONValue? {
        get { members.first { $0.name == name }?.value }
        set {
            let index = members.firstIndex { $0.name == name }
            switch (index, newValue) {
            case (let index?, let value?): members[index].value = value
            case (let index?, nil): members.remove(at: index)
            case (nil, let value?): members.append(Member(name: name, value: value))
            case (nil, nil): break
            }
        }
    }

    /// Appends the members of another object, replacing those of the same name.
    package mutating func merge(_ other: JSONObject) {
        for member in other.members { self[member.name] = member.value }
    }
}

extension JSONValue: ExpressibleByNilLiteral, ExpressibleByStringLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral, ExpressibleByIntegerLiteral
{
    package init(nilLiteral: ()) { self = .null }
    package init(stringLiteral value: String) { self = .string(value) }
    package init(booleanLiteral value: Bool) { self = .bool(value) }
    package init(integerLiteral value: Int64) { self = .int(value) }
    package init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    package init(dictionaryLiteral elements: (String, JSONValue)...) {
        var object: JSONObject = [:]
        for (name, value) in elements { object[name] = value }
        self = .object(object)
    }

    /// A text, or null.
    package init(_ text: String?) { self = text.map { .string($0) } ?? .null }

    /// An unsigned number, or null.
    package init(_ number: (some UnsignedInteger & FixedWidthInteger)?) {
        self = number.map { .uint(UInt64($0)) } ?? .null
    }

    /// A signed number, or null.
    package init(_ number: (some SignedInteger & FixedWidthInteger)?) {
        self = number.map { .int(Int64($0)) } ?? .null
    }

    /// A flag, or null.
    package init(_ flag: Bool?) { self = flag.map { .bool($0) } ?? .null }

    /// Texts in a list.
    package init(_ texts: [String]) { self = .array(texts.map { .string($0) }) }
}
