import LedgerAPI
import LedgerCoding
import LedgerModel
import LedgerViews

/// The members of a JSON object: each is read once as what it should be, and none may be left over.
///
/// A misspelt name that was passed over in silence would be an order that is not what was asked for.
struct Members {
    private let object: JSONObject
    private var known: Set<String> = []

    /// The members of an object.
    init(_ object: JSONObject) { self.object = object }

    /// Whether there is such a member, be it null.
    mutating func has(_ name: String) -> Bool {
        known.insert(name)
        return object[name] != nil
    }

    /// A member as it stands; nil when it is missing or null.
    mutating func value(_ name: String) -> JSONValue? {
        known.insert(name)
        guard let value = object[name], value != .null else { return nil }
        return value
    }

    /// A text.
    mutating func text(_ name: String) throws -> String? {
        try value(name).map { value in
            guard case .string(let text) = value else { throw Self.bad(name, "a text") }
            return text
        }
    }

    /// A flag; a missing one is false.
    mutating func flag(_ name: String) throws -> Bool {
        switch value(name) {
        case nil: false
        case .bool(let flag)?: flag
        default: throw Self.bad(name, "true or false")
        }
    }

    /// A whole number within bounds.
    mutating func number<Value: FixedWidthInteger>(
        _ name: String, _ range: ClosedRange<Value> = Value.min...Value.max
    ) throws -> Value? {
        try value(name).map { value in
            guard let number = value.whole(Value.self), range.contains(number) else {
                throw Self.bad(name, "a whole number from \(range.lowerBound) to \(range.upperBound)")
            }
            return number
        }
    }

    /// Texts in a list; one text is a list of one.
    mutating func texts(_ name: String) throws -> [String]? {
        try value(name).map { value in
            switch value {
            case .string(let text): return [text]
            case .array(let values):
                return try values.map { value in
                    guard case .string(let text) = value else { throw Self.bad(name, "a list of texts") }
                    return text
                }
            default: throw Self.bad(name, "a list of texts")
            }
        }
    }

    /// A value that the command line takes too, as a text or a bare whole number.
    mutating func argument<Value: ArgumentValue>(_ name: String) throws -> Value? {
        try value(name).map { value in
            let text: String? =
                switch value {
                case .string(let text): text
                case .uint(let number): "\(number)"
                case .int(let number): "\(number)"
                case .double(let number): UInt64(exactly: number).map { "\($0)" }
                default: nil
                }
            guard let meant = text.flatMap({ Value(argument: $0) }) else { throw Self.bad(name, Value.expected) }
            return meant
        }
    }

    /// One word of a kind.
    mutating func word<Value: RawRepresentable & CaseIterable>(
        _ name: String
    ) throws -> Value? where Value.RawValue == String {
        try text(name).map { text in
            guard let value = Value(rawValue: text) else {
                throw Self.bad(name, "one of " + Value.allCases.map(\.rawValue).joined(separator: ", "))
            }
            return value
        }
    }

    /// Words of a kind in a list.
    mutating func words<Value: RawRepresentable & CaseIterable>(
        _ name: String
    ) throws -> [Value] where Value.RawValue == String {
        try (texts(name) ?? []).map { text in
            guard let value = Value(rawValue: text) else {
                throw Self.bad(name, "some of " + Value.allCases.map(\.rawValue).joined(separator: ", "))
            }
            return value
        }
    }

    /// An object in a member.
    mutating func members(_ name: String) throws -> Members? {
        try value(name).map { value in
            guard case .object(let object) = value else { throw Self.bad(name, "an object") }
            return Members(object)
        }
    }

    /// Refuses what was not asked for by name.
    func finish() throws {
        guard let other = object.members.first(where: { !known.contains($0.name) }) else { return }
        throw Refusal.meaningless(other.name, known: known)
    }

    static func bad(_ name: String, _ expected: String) -> Refusal {
        .badRequest("'\(name)' is not what it should be: \(expected)")
    }
}

extension JSONValue {
    /// The whole number that it is, within its type; nil for anything else.
    func whole<Value: FixedWidthInteger>(_: Value.Type) -> Value? {
        switch self {
        case .uint(let number): Value(exactly: number)
        case .int(let number): Value(exactly: number)
        case .double(let number): Value(exactly: number)
        default: nil
        }
    }
}
