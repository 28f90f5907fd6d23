import CLedgerSystem

/// What is known of the terminal, if there is one.
package enum Terminal {
    /// A size in characters.
    package struct Size: Hashable, Sendable {
        /// The width.
        package var columns: Int
        /// The height.
        package var rows: Int

        /// A size of both.
        package init(columns: Int, rows: Int) {
            self.columns = columns
            self.rows = rows
        }
    }

    /// The size assumed where nothing says better.
    package static let sizeDefault = Size(columns: 80, rows: 24)

    /// The size of the terminal behind a descriptor (`ioctl(TIOCGWINSZ)`), else what `COLUMNS` and `LINES` say, else
    /// 80 by 24.
    package static func size(behind descriptor: Int32) -> Size {
        var (columns, rows): (UInt16, UInt16) = (0, 0)
        // What is not told stays 0.
        _ = unsafe ledger_terminal_size(descriptor, &columns, &rows)
        return Size(
            columns: columns > 0 ? Int(columns) : number("COLUMNS") ?? sizeDefault.columns,
            rows: rows > 0 ? Int(rows) : number("LINES") ?? sizeDefault.rows)
    }

    private static func number(_ name: String) -> Int? {
        CurrentProcess.environment(name).flatMap(Int.init).flatMap { $0 > 0 ? $0 : nil }
    }
}
