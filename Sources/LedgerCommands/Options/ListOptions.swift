import ArgumentParser
import LedgerAPI
import LedgerViews

/// What `list` and `show` show, and in what order.
struct ListOptions: ParsableArguments {
    @OptionGroup(title: "Filters") var filters: FilterOptions

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("As it was after this event, or at this time.", valueName: "seq|time"),
        transform: LogPoint.parse)
    var at: LogPoint?

    @Option(
        parsing: .unconditional, help: ArgumentHelp("At most so many rows.", valueName: "n"),
        transform: Int.within(0...Int.max))
    var limit: Int?

    @Option(help: ArgumentHelp("What the order goes by.", valueName: "key"))
    var sort: ListQuery.Sort = .id

    @Flag(help: "Turn the order round.")
    var reverse = false

    /// Whether they say how many rows are shown, or in what order.
    var isOrdered: Bool { limit != nil || sort != .id || reverse }

    /// The question as the ledger takes it.
    var query: ListQuery {
        var query = ListQuery()
        query.filter = filters.filter
        query.at = at
        query.limit = limit
        query.sort = sort
        query.descending = reverse
        return query
    }
}
