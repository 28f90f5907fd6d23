import ArgumentParser
import LedgerAPI
import LedgerCoding
import LedgerEngine
import LedgerHolder
import LedgerModel
import LedgerSystem
import LedgerViews
import SystemPackage

/// `ledger export`: the log, or the queue and the catalog, for other programs.
struct Export: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Write the log as JSON, or the queue and the catalog as CSV or SQLite.",
        usage: "ledger export [<options>]",
        discussion: """
            'jsonl' is the whole log, an event a line, between a first line that names the ledger and a last line with \
            the digests of the state and of these lines; 'ledger import' makes a ledger of the same state of it. \
            Passwords, tokens and headers are not in it: they stand in the home's 'secrets' file alone, which \
            'ledger backup' copies. 'csv' (RFC 4180) and 'sqlite' hold the rows of 'ledger list', also as they were \
            at any time; a text in CSV that a table program would take for a formula begins with an apostrophe. Takes \
            no lock and changes nothing.

            EXAMPLE
              ledger export > ledger.jsonl
              ledger export --format csv --state completed -o files.csv
              ledger export --format sqlite --at 2026-03-02 -o march.db
            """)

    /// What an export can be.
    enum Format: String, CaseIterable, Sendable { case jsonl, csv, sqlite }

    @Option(help: ArgumentHelp("What to write: jsonl, csv, sqlite.", valueName: "format"))
    var format: Format = .jsonl

    @Option(
        name: .joined("o"),
        help: ArgumentHelp("The file to write (default: standard output).", valueName: "file"),
        completion: .file())
    var output: String?

    @Flag(help: "Replace the file if it is there.")
    var overwrite = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("As it was after this event, or at this time.", valueName: "seq|time"),
        transform: LogPoint.parse)
    var at: LogPoint?

    @OptionGroup(title: "Filters of csv and sqlite") var filters: FilterOptions

    @OptionGroup var archive: ArchiveOptions
    @OptionGroup var global: GlobalOptions

    func validate() throws {
        if format == .jsonl, filters.filter != Filter() {
            throw ValidationError("'--format jsonl' is the whole log: leave the filters out.")
        }
        if format == .csv, output == nil || output == "-", global.json {
            throw ValidationError("'--json' has only JSON on standard output: give the csv a file with '-o FILE'.")
        }
        if format == .sqlite, output == nil { throw ValidationError("'--format sqlite' needs a file: '-o FILE'.") }
    }

    func run() async throws {
        let session = try await LedgerSession(global, archive)
        let file = try stagedFile(session)
        let what: String
        switch format {
        case .jsonl:
            let summary = try await log(session, file)
            what = "\(Figures.counted(summary.events, "event")), digest \(summary.digest)"
        case .csv, .sqlite: what = Figures.counted(try await rows(session, file), "row")
        }
        if let file {
            session.console.note("'\(file.path)': \(what)")
        } else if format == .jsonl {
            session.console.note("exported: \(what)")
        }
    }

    private func log(_ session: LedgerSession, _ file: StagedFile?) async throws -> ExportedLog.Summary {
        let reading = LedgerReading(home: session.home, world: session.context.world)
        let (at, home, fileSystem) = (at, session.home, session.context.world.fileSystem)
        let output = ExportOutput(file, session)
        return try await session.context.world.blocking.run { () throws -> ExportedLog.Summary in
            let last: SequenceNumber
            do throws(LedgerError) { last = try reading.last(at: at) } catch { throw Problem(error) }
            return try output.write { put in
                try LogExporter(home: home, fileSystem: fileSystem, last: last).write(put)
            }
        }
    }

    /// Writes the table, and says how many rows it has.
    private func rows(_ session: LedgerSession, _ file: StagedFile?) async throws -> Int {
        var query = ListQuery()
        query.filter = filters.filter
        query.at = at
        let table = try await session.table(query)
        let (format, output) = (format, ExportOutput(file, session))
        try await session.context.world.blocking.run { () throws -> Void in
            guard format == .sqlite, let file else {
                return try output.write { put in
                    try put(CSVText.header)
                    for row in table.rows { try put(CSVText.row(RowColumn.cells(of: row))) }
                }
            }
            try SQLiteExport(table).write(to: file)
        }
        return table.rows.count
    }

    /// The file that is to be written; nil for standard output.
    private func stagedFile(_ session: LedgerSession) throws(Problem) -> StagedFile? {
        guard let output, output != "-" || format == .sqlite else { return nil }
        let context = session.context
        let path = FilePath(Paths.absolute(output, from: context.directory, home: context.environment["HOME"]))
        try session.home.requireForeign(path, context.world.fileSystem)
        do throws(FileError) {
            return try StagedFile(path, overwrites: overwrite, fileSystem: context.world.fileSystem)
        } catch {
            switch error.errno {
            case .fileExists:
                throw Problem(
                    .destinationTaken, "'\(path)' is there already",
                    next: "give another name, or --overwrite to replace it", exitCode: .failed)
            case .invalidArgument:
                throw Problem(
                    .badDestination, "'\(path)' is no file that could be replaced",
                    next: "give the name of a file; without '-o' it is printed", exitCode: .usage)
            default: throw Problem(LedgerError.file(error))
            }
        }
    }
}

extension Export.Format: ExpressibleByArgument {}
