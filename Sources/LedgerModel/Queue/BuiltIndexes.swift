import SortedCollections

/// A part of the indexes of a queue, built from all its downloads at once.
enum BuiltIndexes: Sendable {
    case order(OrderIndexes)
    case targets(NewestIndex<Int, DownloadID>)
    case sources(NewestIndex<Int, DownloadID>)

    /// How many downloads make it worth while to build the parts beside each other.
    static let manyDownloads = 4096

    /// Which part; the one that takes longest comes first.
    enum Piece: CaseIterable, Sendable { case order, targets, sources }

    init(_ piece: Piece, of downloads: DownloadTable) {
        switch piece {
        case .order: self = .order(OrderIndexes(of: downloads))
        case .targets: self = .targets(Self.index(downloads) { Target($0.order).hashValue })
        case .sources: self = .sources(Self.index(downloads) { $0.order.url.hashValue })
        }
    }

    private static func index(
        _ downloads: DownloadTable, by key: (Download) -> Int
    ) -> NewestIndex<Int, DownloadID> {
        var index = NewestIndex<Int, DownloadID>()
        index.reserve(downloads.count)
        downloads.visit { if $0.phase != .deleted { index.insert($0.id, for: key($0)) } }
        return index
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
        (ready, waitingByLane) = (LaneIndex(building.ready), LaneIndex(building.waitingByLane))
    }
}
