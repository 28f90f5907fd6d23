/// Where a command's words go: rows to standard output, everything for people to standard error.
struct Console: Sendable {
    /// Standard output was closed by its reader, as in `ledger list | head -1`; the command ends in silence.
    struct Closed: Error {}

    /// Writes a text to standard output, whole.
    let writeOutput: @Sendable (String) throws(Closed) -> Void
    /// Writes a text to standard error; where nobody reads it, it is lost.
    let writeError: @Sendable (String) -> Void
    /// The columns of the terminal behind standard output; nil when it is none.
    let outputColumns: Int?
    /// The columns of the terminal behind standard error, asked anew each time; nil when it is none.
    let errorColumns: @Sendable () -> Int?
    /// Whether the terminal shows more than ASCII.
    let isUnicode: Bool
    /// How much is said to people.
    var loudness = Loudness.normal

    /// How much is said to people.
    enum Loudness: Hashable, Sendable { case quiet, normal, verbose }

    /// A line on standard output.
    func print(_ line: String) throws(Closed) { try writeOutput(line + "\n") }

    /// Lines on standard output, in one write.
    func print(_ lines: [String]) throws(Closed) {
        guard !lines.isEmpty else { return }
        try writeOutput(lines.joined(separator: "\n") + "\n")
    }

    /// A line for people, left out by `--quiet`.
    func note(_ line: String) {
        if loudness != .quiet { writeError(line + "\n") }
    }

    /// A line for people who asked for more with `--verbose`.
    func detail(_ line: String) {
        if loudness == .verbose { writeError(line + "\n") }
    }

    /// Something people must know whatever they asked for.
    func warn(_ line: String) { writeError("warning: " + line + "\n") }
}
