import CSQLite

/// A new SQLite database, written once, and closed with its last reference. Blocks.
final class SQLiteFile {
    /// What SQLite said.
    struct Failure: Error, CustomStringConvertible {
        /// In its words.
        let description: String
    }

    private let handle: OpaquePointer

    /// Makes a database at a path where nothing stands.
    ///
    /// It keeps no journal and syncs nothing: the file counts for nothing until it is whole, and is synced then.
    init(creating path: String) throws(Failure) {
        var opened: OpaquePointer?
        let code = sqlite3_open_v2(path, &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nil)
        guard code == SQLITE_OK, let opened else {
            sqlite3_close_v2(opened)
            throw Failure(description: String(cString: sqlite3_errstr(code)))
        }
        handle = opened
        try execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
    }

    deinit { sqlite3_close_v2(handle) }

    /// Runs statements that give nothing back.
    func execute(_ statements: String) throws(Failure) {
        guard sqlite3_exec(handle, statements, nil, nil, nil) == SQLITE_OK else { throw failure() }
    }

    /// Runs a statement once for each row, with its cells in the places of the question marks.
    func insert(_ statement: String, rows: some Sequence<[ExportCell]>) throws(Failure) {
        var prepared: OpaquePointer?
        guard sqlite3_prepare_v2(handle, statement, -1, &prepared, nil) == SQLITE_OK else { throw failure() }
        defer { sqlite3_finalize(prepared) }
        for row in rows {
            for (place, cell) in row.enumerated() {
                let code =
                    switch cell {
                    case .nothing: sqlite3_bind_null(prepared, Int32(place + 1))
                    case .number(let number): sqlite3_bind_int64(prepared, Int32(place + 1), number)
                    case .text(let text): Self.bind(text, to: prepared, at: place + 1)
                    }
                guard code == SQLITE_OK else { throw failure() }
            }
            guard sqlite3_step(prepared) == SQLITE_DONE else { throw failure() }
            sqlite3_reset(prepared)
        }
    }

    private static func bind(_ text: String, to statement: OpaquePointer?, at place: Int) -> Int32 {
        // SQLITE_TRANSIENT, which the importer can not read: SQLite makes a copy.
        let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        let bytes = Array(text.utf8CString)
        return sqlite3_bind_text64(
            statement, Int32(place), bytes, sqlite3_uint64(bytes.count - 1), copied, UInt8(SQLITE_UTF8))
    }

    private func failure() -> Failure { Failure(description: String(cString: sqlite3_errmsg(handle))) }
}
