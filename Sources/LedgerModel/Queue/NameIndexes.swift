/// The indexes of a queue that go by what is asked for.
struct NameIndexes: DownloadIndex, Equatable {
    /// The downloads of each target that were not deleted, by the target's hash within this process.
    private var targets = NewestIndex<Int, DownloadID>()
    /// The downloads from each URL that were not deleted, by the URL's hash within this process.
    private var sources = NewestIndex<Int, DownloadID>()

    /// No downloads.
    init() {}

    /// All downloads of a table.
    init(of downloads: DownloadTable) {
        targets.reserve(downloads.count)
        sources.reserve(downloads.count)
        downloads.visit { row in
            if row.value.phase != .deleted { insert(row.value.id, row.value.order) }
        }
    }

    /// What may ask for the same as an order, the newest first.
    func downloads(like order: Order) -> [DownloadID] { targets.values(of: order.targetKey) }

    /// Whether anything may be from a URL.
    func hold(_ url: ResourceURL) -> Bool { sources[url.hashValue] != nil }

    /// What may be from a URL, the newest first.
    func downloads(from url: ResourceURL) -> [DownloadID] { sources.values(of: url.hashValue) }

    mutating func insert(_ id: DownloadID, _ order: Order) {
        let hash = order.url.hashValue
        targets.insert(id, for: order.targetKey(urlHash: hash))
        sources.insert(id, for: hash)
    }

    mutating func remove(_ id: DownloadID, _ order: Order) {
        let hash = order.url.hashValue
        targets.remove(id, for: order.targetKey(urlHash: hash))
        sources.remove(id, for: hash)
    }
}
