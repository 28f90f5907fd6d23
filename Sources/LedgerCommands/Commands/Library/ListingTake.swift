import ArgumentParser
import LedgerAPI

/// `ledger feed take` and `ledger catalog take`.
struct ListingTake<Sort: ListingSort>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        Sort.command(
            "take", "Enqueue entries and print their numbers.", "<id> (<guid> ... | --all)",
            examples: "12 episode-7", "12 --all")
    }

    @OptionGroup var options: TakeOptions
    @OptionGroup var global: GlobalOptions

    func run() async throws { try await LedgerSession(global).take(Sort.kind, options) }
}
