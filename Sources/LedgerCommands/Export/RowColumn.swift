import LedgerAPI
import LedgerCoding
import LedgerHolder
import LedgerViews

/// A column of an exported table: a member of a row as `list --json` prints it.
struct RowColumn: Sendable {
    /// What its cells hold.
    enum Kind: Sendable { case number, text }

    /// The name: of the member, or for one within it of both (`errorCode`).
    let name: String
    /// What its cells hold; flags are the numbers 0 and 1.
    let kind: Kind

    /// All columns, in the order of the row. What only a running process knows is left out.
    static let all: [RowColumn] = [
        RowColumn(name: "id", kind: .number), RowColumn(name: "url", kind: .text),
        RowColumn(name: "path", kind: .text), RowColumn(name: "state", kind: .text),
        RowColumn(name: "size", kind: .number), RowColumn(name: "received", kind: .number),
        RowColumn(name: "digest", kind: .text), RowColumn(name: "kind", kind: .text),
        RowColumn(name: "group", kind: .text), RowColumn(name: "title", kind: .text),
        RowColumn(name: "details", kind: .text), RowColumn(name: "tags", kind: .text),
        RowColumn(name: "priority", kind: .number), RowColumn(name: "attempts", kind: .number),
        RowColumn(name: "errorCode", kind: .text), RowColumn(name: "errorMessage", kind: .text),
        RowColumn(name: "errorRetryable", kind: .number), RowColumn(name: "addedAt", kind: .text),
        RowColumn(name: "startedAt", kind: .text), RowColumn(name: "completedAt", kind: .text),
        RowColumn(name: "checkedAt", kind: .text), RowColumn(name: "retryAt", kind: .text),
        RowColumn(name: "insecure", kind: .number), RowColumn(name: "identifier", kind: .text),
        RowColumn(name: "published", kind: .text), RowColumn(name: "usedAt", kind: .text),
        RowColumn(name: "pinned", kind: .number), RowColumn(name: "output", kind: .text),
        RowColumn(name: "checksum", kind: .text), RowColumn(name: "options", kind: .text),
    ]

    /// The cells of a row, one for each of ``all``.
    static func cells(of row: DownloadRow) -> [ExportCell] {
        guard case .object(let members) = row.json else { preconditionFailure("a row is an object") }
        var flat: JSONObject = [:]
        for member in members.members {
            if member.name == "error" {
                guard case .object(let error) = member.value else { continue }
                for part in error.members { flat["error" + part.name.capitalizedFirst] = part.value }
            } else {
                flat[member.name] = member.value
            }
        }
        return all.map { ExportCell(flat[$0.name] ?? .null) }
    }
}

/// What stands in a cell.
enum ExportCell: Hashable, Sendable {
    case nothing
    case number(Int64)
    case text(String)

    /// A member's value: a flag is 0 or 1, a list stands as JSON.
    init(_ value: JSONValue) {
        switch value {
        case .null: self = .nothing
        case .bool(let flag): self = .number(flag ? 1 : 0)
        case .int(let number): self = .number(number)
        // What the log holds is below 2^63.
        case .uint(let number): self = .number(Int64(clamping: number))
        case .string(let text): self = .text(text)
        case .double, .array, .object: self = .text(value.description)
        }
    }
}

extension String {
    fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
