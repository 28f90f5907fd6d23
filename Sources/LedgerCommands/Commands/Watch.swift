import ArgumentParser
import LedgerAPI
import LedgerModel
import LedgerViews

/// `ledger watch`: look on.
struct Watch: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Look on while downloads go.",
        usage: "ledger watch [<id> ... | <filters>] [<options>]",
        discussion: """
            With ids, leaves when they have ended, and with exit code 1 when one failed or Ctrl-C comes before; \
            without, stays until Ctrl-C. When whoever holds the ledger leaves, waits for the next. With '--json' each \
            change is a row. With filters, each change of what they fit is shown, and the one that they do not fit any \
            more.

            EXAMPLE
              ledger watch
              ledger watch 12 --json
              ledger watch --state failed,completed --group talks
            """)

    @Argument(help: ArgumentHelp("Only these downloads.", valueName: "id"), transform: DownloadID.parse)
    var ids: [DownloadID] = []

    @OptionGroup(title: "Filters") var filters: FilterOptions
    @OptionGroup var global: GlobalOptions

    func validate() throws {
        if !ids.isEmpty, !filters.filter.isEmpty { throw ValidationError("Give either ids or filters.") }
    }

    func run() async throws {
        let session = try await LedgerSession(global)
        guard try await Onlooker(session: session, ids: ids, filter: filters.filter).run() else {
            throw Exit(code: .failed)
        }
    }
}
