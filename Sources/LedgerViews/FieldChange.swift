package import LedgerAPI
package import LedgerCoding
import LedgerHolder
package import LedgerModel

/// A field that holds another value than before.
package struct FieldChange: Hashable, Sendable {
    /// The field, as rows name it; `options.NAME` for what an order says about the way.
    package let name: String
    /// What it held; null for nothing.
    package let before: JSONValue
    /// What it holds; null for nothing.
    package let after: JSONValue

    /// Every field that differs, in the order of the fields; one that is missing counts as null.
    package static func between(_ old: JSONObject, _ new: JSONObject) -> [FieldChange] {
        var names = new.members.map(\.name)
        names += old.members.map(\.name).filter { new[$0] == nil }
        return names.compactMap { name in
            let (before, after) = (old[name] ?? .null, new[name] ?? .null)
            return before == after ? nil : FieldChange(name: name, before: before, after: after)
        }
    }

    /// `before -> after`, as people read it.
    package var words: String { "\(Self.text(before, of: name)) -> \(Self.text(after, of: name))" }

    /// A value, as people read it.
    static func text(_ value: JSONValue, of name: String) -> String {
        switch value {
        case .null: "-"
        case .string(let text): TextWidth.printable(text)
        case .uint(let bytes) where ["size", "received", "resumedFrom"].contains(name): Figures.size(bytes)
        case .object(let object):
            if case .string(let message)? = object["message"] {
                TextWidth.printable(message)
            } else {
                TextWidth.printable(value.description)
            }
        case .bool, .int, .uint, .double, .array: TextWidth.printable(value.description)
        }
    }
}

extension DownloadRow {
    /// The fields that one state of a download is compared with another by: those of its row, its place among equals,
    /// and what its order says about the way.
    package static func comparedFields(of download: Download) -> JSONObject {
        guard case .object(var fields) = DownloadRow(download).json else { return [:] }
        fields["rank"] = JSONValue(download.rank)
        // One by one below, with what no option asks for.
        fields["options"] = nil
        for option in download.order.options.value.fields.members { fields["options." + option.name] = option.value }
        return fields
    }
}
