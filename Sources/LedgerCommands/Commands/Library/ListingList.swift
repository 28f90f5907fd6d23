import ArgumentParser
import LedgerAPI

/// `ledger feed list` and `ledger catalog list`.
struct ListingList<Sort: ListingSort>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        Sort.command("list", "Show what is followed, or the entries of one.", "[<id>]", examples: "", "12")
    }

    @OptionGroup var options: ListingListOptions
    @OptionGroup var global: GlobalOptions

    func run() async throws { try await LedgerSession(global).showListings(Sort.kind, options) }
}
