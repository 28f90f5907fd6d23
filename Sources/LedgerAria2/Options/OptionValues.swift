import LedgerCoding
import LedgerModel

/// Options with their values, as they are shown. What is secret of them never is.
struct OptionValues: Hashable, Sendable {
    private(set) var values: [String: String] = [:]

    init() {}

    /// The options that a client gave, of those that count for a use; others are passed over in silence, as aria2 does.
    /// - Throws: the fault that names an option: for a value that it does not take, for what is barred, and for what
    ///   would have to change the outcome and can not be done here.
    /// - Parameter shown: what was shown to the client; the same said again changes nothing, least of all what of it
    ///   was not shown.
    init(_ object: JSONObject, for use: OptionSpec.Uses, over shown: OptionValues = OptionValues()) throws(Fault) {
        for member in object.members.sorted(by: { $0.name < $1.name }) {
            guard let spec = OptionSpec.all[member.name] else { continue }
            if case .barred = spec.form { throw .option(spec.name) }
            guard spec.uses.contains(use), let text = Self.text(member.value, of: spec.name) else { continue }
            // What holds for all until somebody says something is no word of theirs: said, it is.
            if text == shown[spec.name], use != .changedForAll || spec.mayHide { continue }
            let value = try spec.normalized(text)
            if let only = Self.undone[spec.name], value != only { throw .undone(spec.name, only: only) }
            values[spec.name] = value
            guard byteCount <= Self.bytesMax else { throw .option(spec.name) }
        }
    }

    /// How long the values that a client gives are together, in bytes; one that is longer is refused.
    static let bytesMax = 64 << 10

    /// How long the values are together, in bytes.
    var byteCount: Int { values.values.reduce(0) { $0 + $1.utf8.count } }

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

    /// What may be shown and kept in memory: passwords and what opens doors are left out, also of URLs in a text. Where
    /// a file goes is no URL, and is shown as it is.
    var withoutSecrets: OptionValues {
        var shown = self
        for (name, value) in values {
            guard let spec = OptionSpec.all[name] else { continue }
            if spec.mayHoldURL { shown[name] = Redaction.redacted(value) }
            if case .proxy = spec.form { shown[name] = Headers.withoutUser(value) }
        }
        // A user without the password would be said again as one who has none.
        for name in values.keys where name.hasSuffix("-passwd") {
            shown[name] = nil
            shown[name.dropLast("passwd".count) + "user"] = nil
        }
        shown["header"] = values["header"].flatMap(Headers.shown)
        return shown
    }

    /// A value as a text. Those that add up may come in a list, and are shown with a line for each.
    private static func text(_ value: JSONValue, of name: String) -> String? {
        let isOfLines = name == "header" || name == "index-out"
        switch value {
        case .string(let text): return isOfLines ? lines(of: [text]) : text
        case .array(let values) where isOfLines:
            return lines(
                of: values.compactMap { value in
                    if case .string(let text) = value { text } else { nil }
                })
        case .null, .bool, .int, .uint, .double, .object, .array: return nil
        }
    }

    /// Lines, each with its end: what was shown and comes back has them already.
    private static func lines(of texts: [String]) -> String {
        texts.flatMap { $0.split(separator: "\n") }.reduce(into: "") { $0 += $1 + "\n" }
    }

    /// What would change the outcome and is not had here, with the one value that is true.
    private static let undone = [
        "dry-run": "false", "hash-check-only": "false", "parameterized-uri": "false", "lowest-speed-limit": "0",
    ]
}
