import ArgumentParser
import LedgerAPI
import LedgerEngine
import LedgerHolder
import LedgerSystem
import LedgerViews
import Logging
import SystemPackage

/// Where `run` says what happens, and how much of it.
struct LogOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The least that is said: trace, debug, info, notice, warning or error (default: notice).",
            valueName: "level"),
        transform: Logger.Level.parse)
    var logLevel: Logger.Level?

    @Option(
        help: ArgumentHelp(
            "Append what is said to this file instead, a line with time and level each; SIGHUP opens it anew.",
            valueName: "file"), completion: .file())
    var logFile: String?
}

extension Logger.Level: ArgumentValue {
    static let expected = "trace, debug, info, notice, warning or error"

    init?(argument: String) { self.init(rawValue: argument) }
}

extension LogOptions {
    /// The file, opened; nil when there is none to be.
    func file(in context: CommandContext, of home: LedgerHome) throws(Problem) -> AppendedFile? {
        guard let logFile else { return nil }
        let path = context.path(logFile)
        try home.requireForeign(path, context.world.fileSystem)
        do throws(FileError) { return try AppendedFile(path) } catch {
            throw Problem(
                .usage, "the file '\(path)' can not be written to", cause: "\(error.call): \(error.errno)",
                next: "give another with '--log-file'", exitCode: .usage)
        }
    }

    /// The log that a console's words go to, if a flag or the journal asks for one; nil for words as they are.
    func log(_ file: AppendedFile?, _ console: Console, in context: CommandContext) -> Logger? {
        let place: ServiceLog.Place
        if let file {
            place = .file(file)
        } else if context.isJournal {
            place = .journal
        } else if logLevel != nil {
            place = .plain
        } else {
            return nil
        }
        let clock = context.world.clock
        let handler = ServiceLog(
            place, logLevel ?? console.loudness.level, clock: clock, writeError: console.writeError)
        return Logger(label: "ledger") { _ in handler }
    }
}

extension Console.Loudness {
    /// The least that is logged.
    var level: Logger.Level {
        switch self {
        case .quiet: .error
        case .normal: .notice
        case .verbose: .debug
        }
    }
}
