/// Rows of text in columns, two spaces between them, a line of headings above.
package struct Table: Hashable, Sendable {
    /// A column.
    package struct Column: Hashable, Sendable {
        /// Its heading.
        package var heading: String
        /// Whether its cells stand at the right, as numbers do.
        package var isRightAligned = false
        /// Whether it is shortened when the table is too wide; one column at most.
        package var isElastic = false

        /// A column with its heading at the left.
        package init(_ heading: String, isRightAligned: Bool = false, isElastic: Bool = false) {
            self.heading = heading
            self.isRightAligned = isRightAligned
            self.isElastic = isElastic
        }
    }

    /// The narrowest that an elastic column becomes.
    package static let elasticColumnsMin = 12

    private let columns: [Column]
    private var rows: [[String]] = []

    /// A table without rows.
    package init(_ columns: [Column]) { self.columns = columns }

    /// Adds a row with a cell for each column.
    package mutating func add(_ cells: [String]) {
        precondition(cells.count == columns.count, "a row has a cell for each column")
        rows.append(cells.map(TextWidth.printable))
    }

    /// The lines of the table, headings first, without spaces at their ends.
    ///
    /// - Parameter width: the columns of the terminal; nil when the output is none, and then nothing is shortened.
    package func lines(width: Int?) -> [String] {
        var widths = columns.indices.map { index in
            rows.reduce(TextWidth.columns(of: columns[index].heading)) {
                max($0, TextWidth.columns(of: $1[index]))
            }
        }
        if let width, let elastic = columns.firstIndex(where: \.isElastic) {
            let excess = widths.reduce(0, +) + 2 * (widths.count - 1) - width
            if excess > 0 { widths[elastic] = max(Self.elasticColumnsMin, widths[elastic] - excess) }
        }
        return ([columns.map(\.heading)] + rows).map { cells in
            var line = ""
            for (index, cell) in cells.enumerated() {
                if index > 0 { line += "  " }
                line += TextWidth.fitted(cell, to: widths[index], rightAligned: columns[index].isRightAligned)
            }
            while line.last == " " { line.removeLast() }
            return line
        }
    }
}
