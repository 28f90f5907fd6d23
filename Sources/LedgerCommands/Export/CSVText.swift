/// Rows as RFC 4180 has them: commas between cells, CRLF behind each row, quotes around what holds one of these.
enum CSVText {
    /// The first row, with the names of the columns.
    static var header: String { RowColumn.all.map(\.name).joined(separator: ",") + "\r\n" }

    /// A row of cells.
    static func row(_ cells: [ExportCell]) -> String { cells.map(text).joined(separator: ",") + "\r\n" }

    private static func text(_ cell: ExportCell) -> String {
        switch cell {
        case .nothing: ""
        case .number(let number): String(number)
        case .text(let text): quoted(harmless(text))
        }
    }

    /// A text that no table program takes for a formula: one that begins as a formula may gets an apostrophe in front,
    /// which they take for "this is text" (OWASP, "CSV Injection").
    static func harmless(_ text: String) -> String {
        guard let first = text.utf8.first, Set("=+-@\t\r".utf8).contains(first) else { return text }
        return "'" + text
    }

    private static func quoted(_ text: String) -> String {
        guard text.utf8.contains(where: { Set("\",\r\n".utf8).contains($0) }) else { return text }
        return "\"" + text.replacing("\"", with: "\"\"") + "\""
    }
}
