import LedgerSystem
import LedgerViews
import Logging

/// Where a command's words go: rows to standard output, everything for people to standard error.
struct Console: Sendable {
    /// Standard output took no more.
    struct Unwritable: Error {
        /// What the system said.
        let cause: FileError

        /// Whether its reader has left, as in `ledger list | head -1`: no fault of anything, so that a command ends in
        /// silence, and one that has more to do than to print goes on without it.
        var isClosed: Bool { cause.isBrokenPipe }
    }

    /// Writes a text to standard output, whole.
    let writeOutput: @Sendable (String) throws(Unwritable) -> Void
    /// Writes a text to standard error; where nobody reads it, it is lost.
    let writeError: @Sendable (String) -> Void
    /// The columns of the terminal behind standard output; nil when it is none.
    let outputColumns: Int?
    /// The size of the terminal behind standard error, asked anew each time; nil when it is none.
    var errorTerminal: @Sendable () -> Terminal.Size?
    /// Whether the terminal shows more than ASCII.
    let isUnicode: Bool
    /// How much is said to people.
    var loudness = Loudness.normal
    /// The log of a service that words for people go to instead, each with how much it matters; nil for none.
    var log: Logger?

    /// How much is said to people.
    enum Loudness: Hashable, Sendable { case quiet, normal, verbose }

    /// A line on standard output.
    func print(_ line: String) throws(Unwritable) { try writeOutput(line + "\n") }

    /// Lines on standard output, in one write.
    func print(_ lines: [String]) throws(Unwritable) {
        guard !lines.isEmpty else { return }
        try writeOutput(lines.joined(separator: "\n") + "\n")
    }

    /// The last lines on standard output: when their reader has left, the command still ends as it would have.
    func printLast(_ lines: [String]) throws(Unwritable) {
        do throws(Unwritable) { try print(lines) } catch {
            guard error.isClosed else { throw error }
        }
    }

    /// What a command did, in words on standard output: whoever wants quiet hears of what went wrong alone.
    func confirm(_ lines: [String]) throws(Unwritable) { if loudness != .quiet { try printLast(lines) } }

    /// Sends words for people into a log, which decides itself how much is said; there are no bars then.
    mutating func take(_ log: Logger) {
        self.log = log
        loudness = .normal
        errorTerminal = { nil }
    }

    /// A line for people, or several; into the log with how much it matters. What a server says in it, or a file of
    /// someone else's, can not steer the terminal.
    func say(_ line: String, _ level: Logger.Level = .notice) {
        if let log { return log.log(level: level, "\(line)") }
        let parts = line.split(separator: "\n", omittingEmptySubsequences: false)
        writeError(parts.map { TextWidth.printable(String($0)) }.joined(separator: "\n") + "\n")
    }

    /// A line for people, left out by `--quiet`.
    func note(_ line: String) { note(line, .notice) }

    /// A line for people, left out by `--quiet`; into the log with how much it matters.
    func note(_ line: String, _ level: Logger.Level) {
        if log != nil || loudness != .quiet { say(line, level) }
    }

    /// A line for people who asked for more with `--verbose`.
    func detail(_ line: String) {
        if log != nil || loudness == .verbose { say(line, .debug) }
    }

    /// Something people must know whatever they asked for.
    func warn(_ line: String) { say(log == nil ? "warning: " + line : line, .warning) }
}
