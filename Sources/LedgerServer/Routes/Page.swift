import LedgerAPI
import LedgerModel

/// One page of a list, as it is asked for.
struct Page {
    /// What a list goes by.
    private enum Order {
        case sorted(ListQuery.Sort, descending: Bool)
        /// The order in which what is live runs.
        case turn
    }

    /// The last place a page can begin at: with room for what is added to it.
    private static let cursorMax = UInt64(1) << 60

    private let filter: Filter
    private let order: Order
    private let limit: Int
    /// How many rows come before; of a list by id, which id.
    private let start: UInt64?

    /// What a query asks.
    init(_ query: Query) throws {
        var filter = Filter()
        filter.states = try query.list("state")
        filter.kinds = try query.list("kind")
        filter.search = try query.words("search")
        filter.group = query["group"]
        self.filter = filter
        limit = try query.number("limit", 1...Downloads.pageRowsMax) ?? Downloads.pageRowsDefault
        start = try query.number("cursor", 0...Self.cursorMax)
        let isDescending = try query["order"].map { text in
            guard ["asc", "desc"].contains(text) else { throw Refusal.badRequest("'order' is asc or desc") }
            return text == "desc"
        }
        let sort = query["sort"] ?? "id"
        if sort == "turn" {
            guard isDescending != true else {
                throw Refusal.unprocessable(
                    "'sort' turn has one order", next: "what comes next comes first; leave 'order' out")
            }
            order = .turn
        } else {
            guard let sort = ListQuery.Sort(rawValue: sort) else {
                let names = ListQuery.Sort.allCases.map(\.rawValue) + ["turn"]
                throw Refusal.badRequest("'sort' is one of " + names.joined(separator: ", "))
            }
            order = .sorted(sort, descending: isDescending ?? false)
        }
    }

    /// The downloads of the page, and where the next one begins.
    func select(
        from queue: Queue, shown: @escaping (Download) -> ShownDownload
    ) -> (downloads: [ShownDownload], next: String?) {
        // One more tells whether there is a next page.
        let (skipped, count) = (Int(start ?? 0), limit + 1)
        switch order {
        case .sorted(let sort, let descending):
            var query = ListQuery()
            (query.filter, query.sort, query.descending) = (filter, sort, descending)
            guard sort == .id else {
                query.limit = skipped + count
                return part(Array(query.select(from: queue.downloads, shown: shown).dropFirst(skipped)))
            }
            // It goes on after the last id, whatever came or went meanwhile.
            query.limit = count
            let start = start.map { DownloadID($0) }
            let found = Array(query.select(from: queue.downloads, after: start, shown: shown))
            return (Array(found.prefix(limit)), found.count > limit ? "\(found[limit - 1].id)" : nil)
        case .turn where filter.isEmpty:
            return part(queue.livePage(skipping: [], from: skipped, count: count).map(shown))
        case .turn:
            let matcher = filter.matcher
            let found = queue.liveDownloads.lazy.map(shown).filter { matcher.matches($0) }
            return part(Array(found.dropFirst(skipped).prefix(count)))
        }
    }

    private func part(_ found: [ShownDownload]) -> (downloads: [ShownDownload], next: String?) {
        (Array(found.prefix(limit)), found.count > limit ? "\(Int(start ?? 0) + limit)" : nil)
    }
}
