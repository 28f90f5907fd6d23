import LedgerViews

/// Keeps a block of lines at the bottom of a terminal and prints others above it.
struct TerminalPainter: Hashable, Sendable {
    /// The columns of each line of the block that is shown.
    private var shown: [Int] = []

    /// Nothing is shown yet.
    init() {}

    /// The text that replaces the block by `lines`, with `above` printed once over it.
    ///
    /// - Parameter width: the columns of the terminal now; `lines` must be narrower. When it was wider before, it has
    ///   wrapped the lines shown then, and the block is as many lines higher.
    mutating func paint(_ lines: [String], above: [String] = [], width: Int) -> String {
        let height = shown.reduce(0) { $0 + max(1, ($1 + width - 1) / width) }
        var text = height > 0 ? "\u{1B}[\(height)A" : ""
        // Each line ends in "erase to its end"; what is left of a longer block is erased below.
        for line in above + lines { text += "\r" + line + "\u{1B}[K\n" }
        text += "\u{1B}[J"
        shown = lines.map { TextWidth.columns(of: $0) }
        return text
    }
}
