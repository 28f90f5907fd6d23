import CLedgerSystem

/// What is known of the terminal, if there is one.
package enum Terminal {
    /// The columns assumed where nothing says better.
    package static let columnsDefault = 80

    /// The width in columns: of the terminal behind standard error or output (`ioctl(TIOCGWINSZ)`), else what `COLUMNS`
    /// says, else 80.
    package static var columns: Int {
        for number: Int32 in [2, 1] {
            let columns = ledger_terminal_columns(number)
            if columns > 0 { return Int(columns) }
        }
        if let columns = CurrentProcess.environment("COLUMNS").flatMap(Int.init), columns > 0 { return columns }
        return columnsDefault
    }
}
