import LedgerCoding

/// Options with their values, as they are shown. What is secret of them never is.
struct OptionValues: Hashable, Sendable {
    private(set) var values: [String: String] = [:]

    init() {}

    /// The options that a client gave, of those that count for a use; others are passed over in silence, as aria2 does.
    /// - Throws: the fault that names an option: for a value that it does not take, for what is barred, and for what
    ///   would have to change the outcome and can not be done here.
    init(_ object: JSONObject, for use: OptionSpec.Uses) throws(Fault) {
        for member in object.members.sorted(by: { $0.name < $1.name }) {
            guard let spec = OptionSpec.all[member.name] else { continue }
            if case .barred = spec.form { throw .option(spec.name) }
            guard spec.uses.contains(use), let text = Self.text(member.value, of: spec.name) else { continue }
            let value = try spec.normalized(text)
            guard Self.isDone(spec.name, value) else { throw .option(spec.name) }
            values[spec.name] = value
        }
    }

    subscript(name: String) -> String? {
        get { values[name] }
        set { values[name] = newValue }
    }

    /// Whether a flag is on.
    func flag(_ name: String) -> Bool { values[name] == "true" }

    func number(_ name: String) -> UInt64? { values[name].flatMap { UInt64($0) } }

    /// These over others.
    func over(_ others: OptionValues) -> OptionValues {
        var merged = others
        merged.values.merge(values) { _, mine in mine }
        return merged
    }

    /// What may be shown and kept in memory: passwords and what opens doors are left out.
    var withoutSecrets: OptionValues {
        var shown = self
        for name in values.keys where name.hasSuffix("-passwd") { shown[name] = nil }
        shown["header"] = values["header"].flatMap(Headers.shown)
        for (name, value) in values where name.hasSuffix("-proxy") { shown[name] = Headers.withoutUser(value) }
        return shown
    }

    /// A value as a text. Those that add up may come in a list, and are shown with a line for each.
    private static func text(_ value: JSONValue, of name: String) -> String? {
        switch value {
        case .string(let text): return name == "header" || name == "index-out" ? text + "\n" : text
        case .array(let values) where name == "header" || name == "index-out":
            return values.reduce(into: "") { text, value in
                if case .string(let line) = value { text += line + "\n" }
            }
        case .null, .bool, .int, .uint, .double, .object, .array: return nil
        }
    }

    /// Whether a value changes nothing that is not done here: nothing is promised that does not come.
    private static func isDone(_ name: String, _ value: String) -> Bool { undone[name].map { $0 == value } ?? true }

    /// What would change the outcome and is not had here, with the one value that is true.
    private static let undone = [
        "dry-run": "false", "hash-check-only": "false", "parameterized-uri": "false", "lowest-speed-limit": "0",
    ]
}
