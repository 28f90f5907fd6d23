import ArgumentParser
import LedgerAPI
import LedgerModel

/// `ledger feed` and `ledger catalog`.
struct ListingCommand<Sort: ListingSort>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: Sort.kind.name, abstract: Sort.abstract, discussion: Sort.discussion,
            subcommands: [
                ListingAdd<Sort>.self, ListingList<Sort>.self, ListingRefresh<Sort>.self, ListingRemove<Sort>.self,
                ListingTake<Sort>.self, ListingNext<Sort>.self,
            ], defaultSubcommand: ListingList<Sort>.self)
    }
}

extension ListingSort {
    /// How one of its commands is described.
    static func command(
        _ name: String, _ abstract: String, _ arguments: String, _ discussion: String = ""
    ) -> CommandConfiguration {
        CommandConfiguration(
            commandName: name, abstract: abstract, usage: "ledger \(kind.name) \(name) \(arguments) [<options>]",
            discussion: discussion)
    }
}
