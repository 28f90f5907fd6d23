import ArgumentParser
import LedgerAPI

/// `ledger feed` and `ledger catalog`.
struct ListingCommand<Sort: ListingSort>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: Sort.kind.rawValue, abstract: Sort.abstract, discussion: Sort.discussion,
            subcommands: [
                ListingAdd<Sort>.self, ListingList<Sort>.self, ListingRefresh<Sort>.self, ListingRemove<Sort>.self,
                ListingTake<Sort>.self,
            ], defaultSubcommand: ListingList<Sort>.self)
    }
}

extension ListingSort {
    /// How one of its commands is described.
    fileprivate static func command(
        _ name: String, _ abstract: String, _ arguments: String, _ discussion: String = ""
    ) -> CommandConfiguration {
        CommandConfiguration(
            commandName: name, abstract: abstract, usage: "ledger \(kind.rawValue) \(name) \(arguments) [<options>]",
            discussion: discussion)
    }
}

/// `add`.
struct ListingAdd<Sort: ListingSort>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        Sort.command("add", "Follow one, or follow it in another way.", "<\(Sort.source)>", Sort.addDiscussion)
    }

    @Argument(help: ArgumentHelp("Its address, or its file.", valueName: "url|file"))
    var source: String

    @OptionGroup var options: FollowOptions
    @OptionGroup var global: GlobalOptions

    func run() async throws { try await LedgerSession(global).follow(Sort.kind, source, options) }
}

/// `list`.
struct ListingList<Sort: ListingSort>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        Sort.command("list", "Show what is followed, or the entries of one.", "[<id>]")
    }

    @OptionGroup var options: ListingListOptions
    @OptionGroup var global: GlobalOptions

    func run() async throws { try await LedgerSession(global).showListings(Sort.kind, options) }
}

/// `refresh`.
struct ListingRefresh<Sort: ListingSort>: AsyncParsableCommand {
    static var configuration: CommandConfiguration { Sort.command("refresh", "Read them now.", "[<id> ...]") }

    @Argument(help: ArgumentHelp("Which; all when none is named.", valueName: "id"))
    var ids: [UInt64] = []

    @OptionGroup var global: GlobalOptions

    func run() async throws { try await LedgerSession(global).refresh(Sort.kind, ids) }
}

/// `remove`.
struct ListingRemove<Sort: ListingSort>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        Sort.command("remove", "Follow one no longer; what was downloaded stays.", "<id>")
    }

    @Argument(help: ArgumentHelp("Which.", valueName: "id"))
    var id: UInt64

    @OptionGroup var global: GlobalOptions

    func run() async throws { try await LedgerSession(global).unfollow(id) }
}

/// `take`.
struct ListingTake<Sort: ListingSort>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        Sort.command("take", "Enqueue entries and print their numbers.", "<id> (<guid> ... | --all)")
    }

    @OptionGroup var options: TakeOptions
    @OptionGroup var global: GlobalOptions

    func run() async throws { try await LedgerSession(global).take(options) }
}
