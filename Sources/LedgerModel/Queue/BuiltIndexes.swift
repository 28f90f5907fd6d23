/// A part of what is a function of a queue's downloads, built from all of them at once.
enum BuiltIndexes: Sendable {
    /// The catalog, whose owners are found on demand.
    case files(Catalog)
    case lanes(LaneIndexes)
    case order(OrderIndexes)

    /// Which part; what may take longest comes first. Each goes over all downloads; the catalog costs next to
    /// nothing where nothing is finished yet.
    enum Piece: CaseIterable, Sendable { case lanes, order, files }

    init(_ piece: Piece, of downloads: DownloadTable) {
        switch piece {
        case .files: self = .files(Catalog(filesOf: downloads))
        case .lanes: self = .lanes(LaneIndexes(of: downloads))
        case .order: self = .order(OrderIndexes(of: downloads))
        }
    }
}

/// The indexes of a queue that go by the order, by the place and by the phase.
struct OrderIndexes: Sendable {
    let counts: PhaseCounts
    let publishing: Set<DownloadID>
    let places: NewestIndex<Int, DownloadID>
    let live: SortedList<QueueKey>
    let waiting: SortedList<WaitingKey>

    init(of downloads: DownloadTable) {
        var gathered = OrderKeys()
        downloads.visit { gathered.add($0.value) }
        (counts, publishing, places) = (gathered.counts, gathered.publishing, gathered.places)
        (live, waiting) = (gathered.live.list, gathered.waiting.list)
    }
}

/// The indexes of a queue that go by the lane.
struct LaneIndexes: Sendable {
    let windows: [DailyWindow: Int]
    let ready: LaneIndex<QueueKey>
    let waiting: LaneIndex<WaitingKey>

    init(of downloads: DownloadTable) {
        var gathered = LaneKeys()
        downloads.visit { gathered.add($0.value) }
        windows = gathered.windows
        ready = LaneIndex(gathered.lanes.map { ($0.lane, $0.ready) })
        waiting = LaneIndex(gathered.lanes.map { ($0.lane, $0.waiting) })
    }
}
