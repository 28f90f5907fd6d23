/// Keeps a block of lines at the bottom of a terminal and prints others above it.
struct TerminalPainter: Hashable, Sendable {
    private var linesShown = 0

    /// Nothing is shown yet.
    init() {}

    /// The text that replaces the block by `lines`, with `above` printed once over it. Lines must fit the width.
    mutating func paint(_ lines: [String], above: [String] = []) -> String {
        var text = ""
        if linesShown > 0 { text += "\u{1B}[\(linesShown)A" }
        // Each line ends in "erase to its end"; what is left of a longer block is erased below.
        for line in above + lines { text += "\r" + line + "\u{1B}[K\n" }
        text += "\u{1B}[J"
        linesShown = lines.count
        return text
    }
}
