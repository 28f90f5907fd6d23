import ArgumentParser
import LedgerAPI
import LedgerModel
import LedgerViews

/// Which downloads a command is for: ids, `--all`, or the filters of `list`.
struct SelectionOptions: ParsableArguments {
    @Argument(
        help: ArgumentHelp("Downloads, by the numbers that 'ledger list' shows.", valueName: "id"),
        transform: DownloadID.parse)
    var ids: [DownloadID] = []

    @Flag(help: "Every download that this can be done to.")
    var all = false

    @OptionGroup(title: "Filters")
    var filters: FilterOptions

    func validate() throws {
        try Self.requireOneWay(ids: ids, all: all, filters.filter)
    }

    /// What is done to everything is asked for by `--all`, and not by a variable that turned out empty.
    static func requireOneWay(ids: [some Sendable], all: Bool, _ filter: Filter) throws(ValidationError) {
        if filter.lacksWords { throw ValidationError("There is no word in '--search'.") }
        let ways = [!ids.isEmpty, all, !filter.isEmpty].count { $0 }
        guard ways == 1 else {
            throw ValidationError(
                ways == 0
                    ? "Say which downloads: ids, '--all', or filters such as '--state failed'."
                    : "Give either ids, or '--all', or filters.")
        }
    }

    /// The selection as the ledger takes it.
    var selection: Selection {
        if !ids.isEmpty { return .ids(ids) }
        return all ? .all : .matching(filters.filter)
    }
}
