/// Gathers what the indexes by order, place and phase hold, download by download in the order of their ids, so that
/// each is built at once.
struct OrderKeys {
    private(set) var counts = PhaseCounts()
    private(set) var publishing: Set<DownloadID> = []
    private(set) var places = NewestIndex<Int, DownloadID>()
    private(set) var live = AscendingKeys<QueueKey>()
    private(set) var waiting = AscendingKeys<WaitingKey>()

    mutating func add(_ download: Download) {
        let phase = download.phase
        counts[phase] += 1
        guard phase.isLive else { return }
        let key = download.key
        live.append(key)
        if let path = download.order.destination.path { places.insert(key.id, for: path.hashValue) }
        switch phase {
        case .waiting(let until): waiting.append(WaitingKey(until: until, id: key.id))
        case .publishing: publishing.insert(key.id)
        case .queued, .paused, .completed, .missing, .altered, .failed, .cancelled, .deleted: return
        }
    }
}

/// Gathers what the indexes by lane hold, as ``OrderKeys`` does.
struct LaneKeys {
    /// The keys of each lane, in the order in which the lanes were found.
    private(set) var lanes: [Keys] = []
    private(set) var windows: [DailyWindow: Int] = [:]
    private var numbers: [Lane: Int] = [:]
    private var known = AuthorityCache<KnownLane>(countMax: 1024)

    /// What waits for its turn in a lane, and what waits for an instant.
    struct Keys {
        let lane: Lane
        fileprivate(set) var ready = AscendingKeys<QueueKey>()
        fileprivate(set) var waiting = AscendingKeys<WaitingKey>()
    }

    /// A lane, by its place in the list, and the options that it was found for.
    private struct KnownLane {
        let options: Shared<TransferOptions>
        let number: Int
    }

    mutating func add(_ download: Download) {
        switch download.phase {
        case .queued: lanes[lane(of: download.order)].ready.append(download.key)
        case .waiting(let until):
            lanes[lane(of: download.order)].waiting.append(WaitingKey(until: until, id: download.id))
        case .publishing, .paused, .completed, .missing, .altered, .failed, .cancelled, .deleted: return
        }
        if let window = download.order.options.value.window { windows[window, default: 0] += 1 }
    }

    private mutating func lane(of order: Order) -> Int {
        if let kept = known[order.url], kept.options === order.options { return kept.number }
        let lane = Lane(order)
        let number = numbers[lane] ?? lanes.count
        if number == lanes.count {
            lanes.append(Keys(lane: lane))
            numbers[lane] = number
        }
        known[order.url] = KnownLane(options: order.options, number: number)
        return number
    }
}

/// Keys that mostly come in their order.
struct AscendingKeys<Key: Comparable & Sendable> {
    private var keys: [Key] = []
    private var isAscending = true

    mutating func append(_ key: Key) {
        if let last = keys.last, last >= key { isAscending = false }
        keys.append(key)
    }

    /// All of them, sorted.
    var list: SortedList<Key> { SortedList(ascending: isAscending ? keys : keys.sorted()) }
}
