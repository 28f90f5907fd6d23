import ArgumentParser
import LedgerAPI
import LedgerCoding
import LedgerHolder
import LedgerModel
import LedgerViews

/// `ledger show`: everything about some downloads.
struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show everything about a download.",
        usage: "ledger show <id> ... [<options>]",
        discussion: """
            EXAMPLE
              ledger show 12
              ledger show 12 --at 340 --json
            """)

    @Argument(
        help: ArgumentHelp("Downloads, by the numbers that 'ledger list' shows.", valueName: "id"),
        transform: DownloadID.parse)
    var ids: [DownloadID]

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("As it was after this event, or at this time.", valueName: "seq|time"),
        transform: LogPoint.parse)
    var at: LogPoint?

    @OptionGroup var archive: ArchiveOptions
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let session = try await LedgerSession(global, archive)
        var query = ListQuery()
        query.ids = ids
        query.at = at
        let rows = try await session.rows(query)
        if global.json {
            try session.console.printLast(rows.map(\.json.description))
        } else {
            try session.console.printLast(Array(rows.map(RowDetails.lines).joined(separator: [""])))
        }
        let missing = Set(ids).subtracting(rows.map(\.id)).sorted()
        for id in missing { session.report(Problem(.notFound(id))) }
        if !missing.isEmpty { throw Exit(code: .failed) }
    }
}
