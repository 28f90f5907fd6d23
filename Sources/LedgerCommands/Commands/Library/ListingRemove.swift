import ArgumentParser
import LedgerAPI

/// `ledger feed remove` and `ledger catalog remove`.
struct ListingRemove<Sort: ListingSort>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        Sort.command("remove", "Follow one no longer; what was downloaded stays.", "<id>", examples: "12")
    }

    @Argument(help: ArgumentHelp("Which.", valueName: "id"))
    var id: UInt64

    @OptionGroup var global: GlobalOptions

    func run() async throws { try await LedgerSession(global).unfollow(Sort.kind, id) }
}
