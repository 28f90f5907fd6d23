import ArgumentParser
import LedgerAPI

/// `ledger feed next` and `ledger catalog next`.
struct ListingNext<Sort: ListingSort>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        Sort.command("next", "Show what comes behind an entry in its group.", "<id> <guid>", examples: "12 episode-7")
    }

    @Argument(help: ArgumentHelp("Which one it stands in.", valueName: "id"))
    var id: UInt64

    @Argument(help: ArgumentHelp("The entry.", valueName: "guid"))
    var guid: String

    @OptionGroup var global: GlobalOptions

    func run() async throws { try await LedgerSession(global).showNext(Sort.kind, after: guid, in: id) }
}
