import LedgerAPI
import LedgerModel

/// What a watcher has been shown, and what it still waits for.
struct Watcher {
    private let ids: [DownloadID]
    private let wanted: Set<DownloadID>
    private let seesEnded: Bool
    private let rowsMax: Int
    private var waitsFor: Set<DownloadID>?
    /// The hashes of the rows as they were shown. Where two of one download are equal, which never happens, one change
    /// is seen with the next.
    private var shown: [DownloadID: Int] = [:]
    private var begun: Set<DownloadID> = []
    private var unbegun = Unbegun()
    /// The highest id of which a row was shown: what is not higher was told once, and is not counted beside that.
    private var lastShown = DownloadID(SequenceNumber.zero)

    /// - Parameters:
    ///   - seesEnded: whether what ended long ago is watched too.
    ///   - rowsMax: of how many at once a row is made of each; of more, what is no more than an order is counted.
    init(_ query: WatchQuery, seesEnded: Bool = false, rowsMax: Int = .max) {
        self.seesEnded = seesEnded
        self.rowsMax = rowsMax
        ids = query.ids
        wanted = Set(query.ids)
        waitsFor = query.untilEnd ? wanted : nil
    }

    /// Whether everything waited for has ended.
    var isOver: Bool { waitsFor?.isEmpty ?? false }

    /// What is counted, and not shown; nil for a watcher that is shown everything.
    var counted: Unbegun? { rowsMax == .max ? nil : unbegun }

    /// Of which downloads a row is made: of those that it asks for, else of all that have not ended and are not
    /// counted, as they are now.
    mutating func ids(of queue: Queue, _ maker: RowMaker) -> [DownloadID] {
        guard ids.isEmpty else { return ids }
        guard queue.liveCount > rowsMax || unbegun.count > 0 else { return queue.liveIDs }
        var rest: [DownloadID] = []
        queue.downloads.visit { row in
            guard row.value.phase.isLive, !count(row.value.id, maker.state(ofUnbegun: row.value)) else { return }
            rest.append(row.value.id)
        }
        return rest
    }

    /// Of which downloads among many that something happened to a row is made; the others are counted.
    mutating func rest(
        of touched: Set<DownloadID>, in downloads: DownloadTable, _ maker: RowMaker
    ) -> Set<DownloadID> {
        guard touched.count > rowsMax else { return touched }
        return touched.sorted().reduce(into: []) { rest, id in
            if count(id, downloads[id].flatMap(maker.state(ofUnbegun:))) { begun.remove(id) } else { rest.insert(id) }
        }
    }

    /// Counts a download in the state that it is in now, unless a row of it was shown.
    /// - Parameter state: nil for one that is more than an order.
    /// - Returns: whether it is counted.
    private mutating func count(_ id: DownloadID, _ state: DownloadState?) -> Bool {
        guard let state else { return false }
        return unbegun.update(id, state) || id > lastShown && unbegun.append(id, state)
    }

    /// Takes note of downloads that became live since the last look.
    mutating func begin(_ new: Set<DownloadID>) { if ids.isEmpty { begun.formUnion(new) } }

    func isWatched(_ row: DownloadRow) -> Bool {
        guard ids.isEmpty else { return wanted.contains(row.id) }
        return seesEnded || !row.state.isEnd || shown[row.id] != nil || begun.contains(row.id)
            || unbegun.contains(row.id)
    }

    /// The rows that are news, by id; remembers that they were shown.
    mutating func take(_ rows: some Sequence<DownloadRow>) -> [DownloadRow] {
        var news: [DownloadRow] = []
        for row in rows.sorted(by: { $0.id < $1.id }) {
            let hash = row.hashValue
            guard shown[row.id] != hash else { continue }
            shown[row.id] = row.state.isEnd && ids.isEmpty ? nil : hash
            if row.state.isEnd { waitsFor?.remove(row.id) }
            begun.remove(row.id)
            unbegun.remove(row.id)
            lastShown = max(lastShown, row.id)
            news.append(row)
        }
        return news
    }
}
