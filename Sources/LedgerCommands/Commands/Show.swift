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
        usage: "ledger show (<id> ... | --all | <filters>) [<options>]",
        discussion: """
            EXAMPLE
              ledger show 12
              ledger show --state failed --sort size
              ledger show 12 --at 340 --json
            """)

    @Argument(
        help: ArgumentHelp("Downloads, by the numbers that 'ledger list' shows.", valueName: "id"),
        transform: DownloadID.parse)
    var ids: [DownloadID] = []

    @Flag(help: "Every download.")
    var all = false

    @OptionGroup var shown: ListOptions
    @OptionGroup var archive: ArchiveOptions
    @OptionGroup var global: GlobalOptions

    func validate() throws {
        try SelectionOptions.requireOneWay(ids: ids, all: all, shown.filters.filter)
        if !ids.isEmpty, shown.isOrdered {
            throw ValidationError("'--limit', '--sort' and '--reverse' are for what filters find, or '--all'.")
        }
    }

    func run() async throws {
        let session = try await LedgerSession(global, archive)
        var query = shown.query
        query.ids = ids
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
