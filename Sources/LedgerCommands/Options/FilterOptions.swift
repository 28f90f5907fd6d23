import ArgumentParser
import LedgerAPI
import LedgerModel

/// The filters of `list`, which every command that acts on many downloads takes too.
struct FilterOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Only downloads in these states.", valueName: "state,..."))
    var state: [CommaList<DownloadState>] = []

    @Option(
        help: ArgumentHelp("Only downloads whose URL, name, labels or tags hold all these words.", valueName: "text"))
    var search: [String] = []

    @Option(help: ArgumentHelp("Only downloads of these kinds.", valueName: "kind,..."))
    var kind: [CommaList<Kind>] = []

    @Option(help: ArgumentHelp("Only downloads of this group.", valueName: "group"))
    var group: [String] = []

    func validate() throws {
        // One of the two would count, and whoever deletes by it would not know which.
        if group.count > 1 { throw ValidationError("Give '--group' once: no download is in two.") }
    }

    /// The filters as the ledger takes them: what is given again is added.
    var filter: Filter {
        var filter = Filter()
        filter.states = state.flatMap(\.elements)
        filter.search = search.isEmpty ? nil : search.joined(separator: " ")
        filter.kinds = kind.flatMap(\.elements)
        filter.group = group.first
        return filter
    }
}
