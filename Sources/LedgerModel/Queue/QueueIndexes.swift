/// What must be free and open for a download to run: its host, and its hours of the day.
struct Lane: Hashable, Sendable {
    let host: String
    let window: DailyWindow?

    init(_ order: Order) {
        host = order.url.host
        window = order.options.value.window
    }
}

/// Downloads by lane, and the lanes by their first download, so that a plan reads only what it starts and never walks
/// past a thousand downloads of a host that is at its limit, or whose hours are over.
struct LaneIndex<Key: Hashable & Comparable & Sendable>: Sendable {
    /// Lanes in the order of their first downloads.
    private(set) var heads = SortedList<Head>()
    /// The downloads of each lane, in order; one at least.
    private var byLane: [Lane: SortedList<Key>] = [:]

    /// A lane and the first of its downloads.
    struct Head: Hashable, Comparable, Sendable {
        let first: Key
        let lane: Lane

        static func < (one: Self, other: Self) -> Bool { one.first < other.first }
    }

    /// No downloads.
    init() {}

    /// All downloads of some lanes, each of which is named once.
    init(_ keys: [(lane: Lane, keys: AscendingKeys<Key>)]) {
        var heads: [Head] = []
        for (lane, keys) in keys {
            let list = keys.list
            guard let first = list.first else { continue }
            byLane[lane] = list
            heads.append(Head(first: first, lane: lane))
        }
        self.heads = SortedList(ascending: heads.sorted())
    }

    /// The downloads of a lane, in order.
    subscript(lane: Lane) -> SortedList<Key> { byLane[lane] ?? SortedList() }

    mutating func insert(_ key: Key, in lane: Lane) {
        guard let place = byLane.index(forKey: lane) else {
            byLane[lane] = SortedList(ascending: [key])
            heads.insert(Head(first: key, lane: lane))
            return
        }
        let first = byLane.values[place].first
        // Changed where it stands, so that the list is unique and nothing is copied.
        byLane.values[place].insert(key)
        guard let first, key < first else { return }
        heads.remove(Head(first: first, lane: lane))
        heads.insert(Head(first: key, lane: lane))
    }

    mutating func remove(_ key: Key, in lane: Lane) {
        guard let place = byLane.index(forKey: lane) else { return }
        let first = byLane.values[place].first
        byLane.values[place].remove(key)
        guard key == first else { return }
        heads.remove(Head(first: key, lane: lane))
        if let next = byLane.values[place].first {
            heads.insert(Head(first: next, lane: lane))
        } else {
            byLane.remove(at: place)
        }
    }
}

/// A download that waits, by the instant it waits for.
struct WaitingKey: Hashable, Comparable, Sendable {
    let until: Timestamp
    let id: DownloadID

    static func < (one: Self, other: Self) -> Bool {
        one.until != other.until ? one.until < other.until : one.id < other.id
    }
}

/// What makes two orders ask for the same thing: the same entity into the same place.
struct Target: Equatable, Sendable {
    let url: ResourceURL
    let secret: SecretReference?
    let directory: DiskName
    let name: DiskName?
    /// Who asks for other bytes asks for something else.
    let expected: Digest?

    init(_ order: Order) {
        expected = order.expected
        url = order.url
        secret = order.secret
        directory = DiskName(order.destination.directory)
        name = order.destination.name.map(DiskName.init)
    }
}

extension Order {
    /// What finds downloads of its ``Target``, within this process.
    var targetKey: Int { targetKey(urlHash: url.hashValue) }

    /// The same where the hash of its URL, which is most of it, is at hand.
    func targetKey(urlHash: Int) -> Int {
        var hasher = Hasher()
        hasher.combine(urlHash)
        hasher.combine(secret)
        hasher.combine(destination.directory)
        hasher.combine(destination.name)
        hasher.combine(expected)
        return hasher.finalize()
    }
}

/// How many downloads are in each phase.
package struct PhaseCounts: Hashable, Sendable {
    private var values = [Int](repeating: 0, count: 10)

    /// No downloads at all.
    package init() {}

    /// The number in a phase; the instant of a waiting phase does not matter.
    package subscript(phase: Phase) -> Int {
        get { values[slot(phase)] }
        set { values[slot(phase)] = newValue }
    }

    /// One of each phase.
    package static let phases: [Phase] = [
        .queued, .waiting(until: .epoch), .paused, .publishing, .completed, .missing, .altered, .failed, .cancelled,
        .deleted,
    ]

    private func slot(_ phase: Phase) -> Int {
        switch phase {
        case .queued: 0
        case .waiting: 1
        case .paused: 2
        case .publishing: 3
        case .completed: 4
        case .missing: 5
        case .altered: 6
        case .failed: 7
        case .cancelled: 8
        case .deleted: 9
        }
    }
}
