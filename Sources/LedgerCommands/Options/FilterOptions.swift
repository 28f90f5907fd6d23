import ArgumentParser
import LedgerAPI
import LedgerModel

/// The filters of `list`, which every command that acts on many downloads takes too.
struct FilterOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Only downloads in these states.", valueName: "state,..."))
    var state: CommaList<DownloadState>?

    @Option(
        help: ArgumentHelp("Only downloads whose URL, name, labels or tags hold all these words.", valueName: "text"))
    var search: String?

    @Option(help: ArgumentHelp("Only downloads of these kinds.", valueName: "kind,..."))
    var kind: CommaList<Kind>?

    @Option(help: ArgumentHelp("Only downloads of this group.", valueName: "group"))
    var group: String?

    /// The filters as the ledger takes them.
    var filter: Filter {
        var filter = Filter()
        filter.states = state?.elements ?? []
        filter.search = search
        filter.kinds = kind?.elements ?? []
        filter.group = group
        return filter
    }
}
