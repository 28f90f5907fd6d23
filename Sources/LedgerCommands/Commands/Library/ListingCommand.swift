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
    /// - Parameter examples: what stands behind its name in one, where the discussion shows none.
    static func command(
        _ name: String, _ abstract: String, _ arguments: String, _ discussion: String = "", examples: String...
    ) -> CommandConfiguration {
        let lines = examples.map { "  ledger \(kind.name) \(name)\($0.isEmpty ? "" : " ")\($0)" }
        let shown = lines.isEmpty ? discussion : (["EXAMPLE"] + lines).joined(separator: "\n")
        return CommandConfiguration(
            commandName: name, abstract: abstract, usage: "ledger \(kind.name) \(name) \(arguments) [<options>]",
            discussion: shown)
    }
}
