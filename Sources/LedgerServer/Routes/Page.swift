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
        filter.search = query["search"]
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
            order = .turn
        } else {
            guard let sort = ListQuery.Sort(rawValue: sort) else {
                let names = ListQuery.Sort.allCases.map(\.rawValue) + ["turn"]
                throw Refusal.badRequest("'sort' is one of " + names.joined(separator: ", "))
            }
            order = .sorted(sort, descending: isDescending ?? false)
        }
    }

    /// The rows of the page, and where the next one begins.
    func select(
        from queue: Queue, row: @escaping (Download) -> DownloadRow
    ) -> (rows: [(row: DownloadRow, download: Download)], next: String?) {
        switch order {
        case .sorted(.id, let descending): return byID(queue, descending, row)
        case .turn:
            let found = queue.liveDownloads.lazy.map { (row: row($0), download: $0) }.filter { filter.matches($0.row) }
            return part(Array(found.dropFirst(Int(start ?? 0)).prefix(limit + 1)))
        case .sorted(let sort, let descending):
            var query = ListQuery()
            (query.filter, query.sort, query.descending) = (filter, sort, descending)
            query.limit = Int(start ?? 0) + limit + 1
            let rows = query.select(from: queue.downloads, row: row).dropFirst(Int(start ?? 0))
            return part(rows.compactMap { row in queue[row.id].map { (row, $0) } })
        }
    }

    /// A list by id goes on after the last id, whatever came or went meanwhile.
    private func byID(
        _ queue: Queue, _ descending: Bool, _ row: (Download) -> DownloadRow
    ) -> (rows: [(row: DownloadRow, download: Download)], next: String?) {
        var ids = Array(queue.downloads.keys)
        if let start {
            ids = ids.filter { descending ? $0.rawValue < start : $0.rawValue > start }
        }
        ids.sort { descending ? $1 < $0 : $0 < $1 }
        var found: [(row: DownloadRow, download: Download)] = []
        for id in ids {
            guard let download = queue[id] else { continue }
            let made = row(download)
            guard filter.matches(made) else { continue }
            guard found.count < limit else { return (found, found.last.map { "\($0.row.id)" }) }
            found.append((made, download))
        }
        return (found, nil)
    }

    private func part(
        _ rows: [(row: DownloadRow, download: Download)]
    ) -> (rows: [(row: DownloadRow, download: Download)], next: String?) {
        (Array(rows.prefix(limit)), rows.count > limit ? "\(Int(start ?? 0) + limit)" : nil)
    }
}
