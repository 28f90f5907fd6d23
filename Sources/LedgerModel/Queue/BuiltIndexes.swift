import SortedCollections

/// A part of what is a function of a queue's downloads, built from all of them at once.
enum BuiltIndexes: Sendable {
    /// The catalog but for its owners.
    case files(Catalog)
    case names(NameIndexes)
    case owners(Owners)
    case order(OrderIndexes)

    /// How many downloads make it worth while to build the parts beside each other.
    static let manyDownloads = 4096

    /// Which part; what may take longest comes first. Each goes over all downloads; the catalog's two cost next to
    /// nothing where nothing is finished yet.
    enum Piece: CaseIterable, Sendable { case files, names, owners, order }

    init(_ piece: Piece, of downloads: DownloadTable) {
        switch piece {
        case .files: self = .files(Catalog(filesOf: downloads))
        case .names: self = .names(NameIndexes(of: downloads))
        case .owners: self = .owners(Owners(of: downloads))
        case .order: self = .order(OrderIndexes(of: downloads))
        }
    }
}

/// The indexes of a queue that go by what is asked for.
struct NameIndexes: Sendable {
    private(set) var targets = NewestIndex<Int, DownloadID>()
    private(set) var sources = NewestIndex<Int, DownloadID>()

    init(of downloads: DownloadTable) {
        targets.reserve(downloads.count)
        sources.reserve(downloads.count)
        downloads.visit { rows in
            for place in rows.indices where rows[place].phase != .deleted {
                let (id, hash) = (rows[place].id, rows[place].order.url.hashValue)
                targets.insert(id, for: rows[place].order.targetKey(urlHash: hash))
                sources.insert(id, for: hash)
            }
        }
    }
}

/// The indexes of a queue that go by the order, by the place and by the phase.
struct OrderIndexes: Sendable {
    let counts: PhaseCounts
    let publishing: Set<DownloadID>
    let windows: [DailyWindow: Int]
    let places: NewestIndex<Int, DownloadID>
    let live: SortedSet<QueueKey>
    let waiting: SortedSet<WaitingKey>
    let ready: LaneIndex<QueueKey>
    let waitingByLane: LaneIndex<WaitingKey>

    init(of downloads: DownloadTable) {
        var building = IndexBuilder()
        downloads.visit { building.add($0) }
        (counts, publishing) = (building.counts, building.publishing)
        (windows, places) = (building.windows, building.places)
        (live, waiting) = (building.live.set, building.waiting.set)
        ready = LaneIndex(building.lanes.map { ($0.lane, $0.ready) })
        waitingByLane = LaneIndex(building.lanes.map { ($0.lane, $0.waiting) })
    }
}
