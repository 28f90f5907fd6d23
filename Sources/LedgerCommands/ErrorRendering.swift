import LedgerAPI
import LedgerModel
import LedgerSystem
import LedgerViews

/// Ends a command with an exit code and no further words.
struct Exit: Error {
    /// What the program exits with.
    let code: ExitCode
}

/// An error as people see it: what, why, what next.
enum ErrorRendering {
    /// The lines for standard error: the first says what, `cause:` why, `next:` what to type or check.
    static func lines(for problem: Problem) -> [String] {
        var lines = ["\(problem.code.rawValue): \(problem.message)"]
        if let cause = problem.cause { lines.append("  cause: \(cause)") }
        if let next = problem.next { lines.append("  next:  \(next)") }
        // Files of others may be quoted in them.
        return lines.map(TextWidth.printable)
    }

    /// The same in one line, for a log.
    static func line(for problem: Problem) -> String {
        lines(for: problem).map { $0.trimmingSpace() }.joined(separator: "; ")
    }
}

extension Problem {
    /// Standard output could not be written to, though someone wanted to read it.
    init(_ error: Console.Unwritable) {
        self.init(
            error.cause.isDiskFull ? .diskFull : .disk, "standard output can not be written to",
            cause: error.cause.description,
            next: "what was changed stays changed; send the output elsewhere, and look with 'ledger list'",
            exitCode: .disk)
    }

    /// A line of an input file that can not be read, in words.
    init(_ error: InputFile.SyntaxError, file: String) {
        self.init(
            .usage, "line \(error.line) of '\(file)': \(error.reason)",
            next: "a line holds URLs with tabs between them, the lines below it options: ' out=NAME'",
            exitCode: .usage)
    }

    /// The same problem with where it stands before it.
    func located(at place: String) -> Problem {
        var problem = self
        problem.message = "\(place): \(message)"
        return problem
    }
}
