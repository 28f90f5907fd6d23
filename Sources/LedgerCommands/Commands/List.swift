import ArgumentParser
import LedgerAPI
import LedgerCoding
import LedgerHolder
import LedgerModel
import LedgerViews

/// `ledger list`: the queue and the catalog.
struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show the queue and the catalog.",
        usage: "ledger list [<options>]",
        discussion: """
            Works beside whatever holds the ledger, and without it. States: queued, running, waiting (will be tried \
            again), paused, completed, failed, cancelled, deleted, missing, altered.

            EXAMPLE
              ledger list --state failed,waiting
              ledger list --kind video --search 'talk 2026' --sort size --reverse
              ledger list --at 2026-03-02T10:00:00Z       # as it was then
            """)

    @OptionGroup var shown: ListOptions
    @OptionGroup var archive: ArchiveOptions
    @OptionGroup var global: GlobalOptions

    private static let rowsAtOnce = 1_000

    func run() async throws {
        let session = try await LedgerSession(global, archive)
        let rows = try await session.rows(shown.query)
        if global.json {
            // A part at a time: the texts of a hundred thousand rows are not all held at once.
            for start in stride(from: 0, to: rows.count, by: Self.rowsAtOnce) {
                let part = rows[start..<min(start + Self.rowsAtOnce, rows.count)]
                try session.console.print(part.map(\.json.description))
            }
        } else {
            try session.console.print(RowTable.lines(rows, width: session.console.outputColumns))
        }
    }
}
