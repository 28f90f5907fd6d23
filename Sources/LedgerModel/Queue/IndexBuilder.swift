import SortedCollections

/// Gathers what the sorted indexes of a queue hold, download by download in the order of their ids, so that each is
/// built at once.
struct IndexBuilder {
    private(set) var counts = PhaseCounts()
    private(set) var publishing: Set<DownloadID> = []
    private(set) var places = NewestIndex<Int, DownloadID>()
    private(set) var live = AscendingKeys<QueueKey>()
    private(set) var waiting = AscendingKeys<WaitingKey>()
    private(set) var ready: [Lane: AscendingKeys<QueueKey>] = [:]
    private(set) var waitingByLane: [Lane: AscendingKeys<WaitingKey>] = [:]
    private(set) var windows: [DailyWindow: Int] = [:]
    /// Lanes that were found, by the hash of their URLs' authority: a host's name is made once, not for each download.
    private var known: [KnownLane?] = Array(repeating: nil, count: lanesKnownMax)
    /// How many lanes are kept at hand; one more takes the place of another.
    private static let lanesKnownMax = 1024

    /// A lane and what it was found for.
    private struct KnownLane {
        let url: ResourceURL
        let options: Shared<TransferOptions>
        let lane: Lane

        func isLane(of order: Order) -> Bool { options === order.options && url.hasAuthority(of: order.url) }
    }

    mutating func add(_ download: Download) {
        counts[download.phase] += 1
        guard download.phase.isLive else { return }
        live.append(download.key)
        if let path = download.order.destination.path { places.insert(download.id, for: path.hashValue) }
        switch download.phase {
        case .queued:
            ready[lane(of: download.order), default: AscendingKeys()].append(download.key)
        case .waiting(let until):
            let key = WaitingKey(until: until, id: download.id)
            waiting.append(key)
            waitingByLane[lane(of: download.order), default: AscendingKeys()].append(key)
        case .publishing:
            publishing.insert(download.id)
            return
        case .paused, .completed, .missing, .altered, .failed, .cancelled, .deleted: return
        }
        if let window = download.order.options.value.window { windows[window, default: 0] += 1 }
    }

    private mutating func lane(of order: Order) -> Lane {
        let place = Int(order.url.authorityHash % UInt32(Self.lanesKnownMax))
        if let kept = known[place], kept.isLane(of: order) { return kept.lane }
        let lane = Lane(order)
        known[place] = KnownLane(url: order.url, options: order.options, lane: lane)
        return lane
    }
}

/// Keys that mostly come in their order.
struct AscendingKeys<Key: Comparable> {
    private var keys: [Key] = []
    private var isAscending = true

    mutating func append(_ key: Key) {
        if let last = keys.last, last >= key { isAscending = false }
        keys.append(key)
    }

    /// All of them, sorted.
    var set: SortedSet<Key> { SortedSet(sortedElements: isAscending ? keys : keys.sorted()) }
}
