import ArgumentParser
import LedgerAPI

/// `ledger feed refresh` and `ledger catalog refresh`.
struct ListingRefresh<Sort: ListingSort>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        Sort.command("refresh", "Read them now.", "[<id> ...]", examples: "", "12")
    }

    @Argument(help: ArgumentHelp("Which; all when none is named.", valueName: "id"))
    var ids: [UInt64] = []

    @OptionGroup var global: GlobalOptions

    func run() async throws { try await LedgerSession(global).refresh(Sort.kind, ids) }
}
