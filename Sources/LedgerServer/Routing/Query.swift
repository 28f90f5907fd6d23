import LedgerAPI
import LedgerModel
import LedgerViews

/// The query of a URL: names that are read one by one, each as what it should be.
struct Query {
    private var values: [String: String] = [:]
    /// The first name that is there more than once.
    private var repeated: String?

    /// The query of a URL as pages and programs send it, a plus for a space (WHATWG URL, section 5.1).
    init(parsing text: String) {
        for pair in text.utf8.split(separator: UInt8(ascii: "&")) {
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            let (name, value) = (Self.decoded(parts[0]), parts.count == 2 ? Self.decoded(parts[1]) : "")
            if values.updateValue(value, forKey: name) != nil { repeated = repeated ?? name }
        }
    }

    private static func decoded(_ bytes: Substring.UTF8View) -> String {
        ResourceURL.percentDecoded(String(Substring(bytes)).replacing("+", with: " "))
    }

    /// A text; nil when there is none.
    subscript(name: String) -> String? { values[name] }

    /// Refuses names that mean nothing here, and those that are given twice: one of them would be passed over in
    /// silence.
    func require(only names: Set<String>) throws {
        if let other = values.keys.sorted().first(where: { !names.contains($0) }) {
            throw Refusal.meaningless(other, known: names)
        }
        if let repeated {
            throw Refusal.badRequest(
                "'\(repeated)' is given more than once", cause: "only one of them could count",
                next: "give it once; where it may be several words, with commas between them")
        }
    }

    /// A value in words of ``ArgumentValue``.
    func value<Value: ArgumentValue>(_ name: String) throws -> Value? {
        guard let text = values[name] else { return nil }
        guard let value = Value(argument: text) else { throw bad(name, "should be " + Value.expected) }
        return value
    }

    /// A whole number within bounds.
    func number<Value: FixedWidthInteger>(_ name: String, _ range: ClosedRange<Value>) throws -> Value? {
        guard let text = values[name] else { return nil }
        guard let number = Value(text), range.contains(number) else {
            throw bad(name, "should be a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// Words to look for.
    func words(_ name: String) throws -> String? {
        guard let text = values[name] else { return nil }
        guard text.utf8.count <= WordSearch.bytesMax else { throw Refusal.longWords }
        return text
    }

    /// `true`, `1`, `false` or `0`; a missing one is false.
    func flag(_ name: String) throws -> Bool {
        switch values[name] {
        case nil, "false", "0": false
        case "true", "1", "": true
        default: throw bad(name, "should be true or false")
        }
    }

    /// Words with commas between them, each one of a kind.
    func list<Value: RawRepresentable & CaseIterable>(
        _ name: String, of type: Value.Type = Value.self
    ) throws -> [Value] where Value.RawValue == String {
        guard let text = values[name] else { return [] }
        return try text.split(separator: ",", omittingEmptySubsequences: false).map { word in
            guard let value = Value(rawValue: String(word)) else {
                throw bad(name, "should be some of " + Value.allCases.map(\.rawValue).joined(separator: ", "))
            }
            return value
        }
    }

    private func bad(_ name: String, _ words: String) -> Refusal {
        .badRequest("'\(name)' is '\(Problem.presentable(values[name] ?? ""))', and \(words)")
    }
}

extension Refusal {
    /// More words than are looked for.
    static let longWords = unprocessable("'search' has at most \(WordSearch.bytesMax) bytes", next: "give fewer words")
}
