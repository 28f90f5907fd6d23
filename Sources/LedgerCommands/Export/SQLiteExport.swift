import LedgerAPI
import LedgerCoding
import LedgerEngine
import LedgerModel
import LedgerSystem
import SystemPackage

/// A SQLite file of a ledger's rows: table `downloads` with a column for each member of a row (`tags` is a JSON list),
/// and table `meta` with what it was taken from. Blocks.
struct SQLiteExport: Sendable {
    private let table: ExportTable

    /// An export of these rows.
    init(_ table: ExportTable) { self.table = table }

    /// Writes the file, whole or not at all.
    /// - Throws: a ``Problem``.
    func write(to file: StagedFile) throws(Problem) {
        do {
            try file.begin()
            try fill(file.temporary)
            try file.publish()
        } catch {
            do { try file.abandon() } catch { throw Problem(LedgerError.file(error)) }
            switch error {
            case let error as FileError: throw Problem(LedgerError.file(error))
            default:
                throw Problem(
                    .disk, "the database '\(file.path)' can not be written", cause: "\(error)",
                    next: "check the directory and the room in it, then repeat the command", exitCode: .disk)
            }
        }
    }

    /// Makes the database; it is closed when this returns.
    private func fill(_ path: FilePath) throws {
        let database = try SQLiteFile(creating: path.string)
        let columns = RowColumn.all.map { column in
            let kind = column.kind == .number ? "INTEGER" : "TEXT"
            return "\"\(column.name)\" \(kind)" + (column.name == "id" ? " PRIMARY KEY" : "")
        }
        try database.execute(
            """
            BEGIN;
            CREATE TABLE downloads (\(columns.joined(separator: ", ")));
            CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT);
            """)
        let marks = Array(repeating: "?", count: RowColumn.all.count).joined(separator: ", ")
        try database.insert("INSERT INTO downloads VALUES (\(marks))", rows: table.rows.lazy.map(RowColumn.cells))
        let meta: [(String, String?)] = [
            ("ledger", table.ledger), ("sequence", table.sequence.description), ("time", table.time?.rfc3339),
            ("root", table.root), ("digest", table.digest.description), ("exportedAt", table.exportedAt.rfc3339),
            ("version", Version.current),
        ]
        try database.insert(
            "INSERT INTO meta VALUES (?, ?)",
            rows: meta.map { name, value in [.text(name), value.map { .text($0) } ?? .nothing] })
        try database.execute("COMMIT")
    }
}
