import ArgumentParser
import LedgerAPI

/// `ledger feed add` and `ledger catalog add`.
struct ListingAdd<Sort: ListingSort>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        Sort.command("add", "Follow one, or follow it in another way.", "<url|file>", Sort.addDiscussion)
    }

    @Argument(help: ArgumentHelp("Its address, or its file.", valueName: "url|file"))
    var source: String

    @OptionGroup var options: FollowOptions
    @OptionGroup var global: GlobalOptions

    func run() async throws { try await LedgerSession(global).follow(Sort.kind, source, options) }
}
