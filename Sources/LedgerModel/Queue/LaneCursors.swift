/// Walks the queued downloads of all lanes in the order of the queue, leaving out lanes that have no room.
struct LaneCursors {
    private let ready: LaneIndex<QueueKey>
    private let busy: Set<DownloadID>
    private var heads: SortedList<LaneIndex<QueueKey>.Head>.Iterator
    private var pending: LaneIndex<QueueKey>.Head?
    private var opened: [Cursor] = []
    private var chosen: Int?
    /// How many lanes and downloads were looked at.
    private(set) var looks = 0

    /// A lane that was looked at, and the first of its downloads that was not handed out.
    private struct Cursor {
        let lane: Lane
        var rest: SortedList<QueueKey>.Iterator
        var key: QueueKey
    }

    init(_ ready: LaneIndex<QueueKey>, skipping busy: Set<DownloadID>) {
        self.ready = ready
        self.busy = busy
        heads = ready.heads.makeIterator()
        pending = heads.next()
    }

    /// The first queued download whose lane has room. It is handed out again until ``advance()``.
    mutating func next(where hasRoom: (Lane) -> Bool) -> QueueKey? {
        while true {
            opened.removeAll { !hasRoom($0.lane) }
            chosen = opened.indices.min { opened[$0].key < opened[$1].key }
            let best = chosen.map { opened[$0].key }
            // A lane not opened yet can be ahead only while its first download is.
            guard let head = pending, best.map({ head.first < $0 }) ?? true else { return best }
            pending = heads.next()
            looks += 1
            guard hasRoom(head.lane) else { continue }
            var rest = ready[head.lane].makeIterator()
            if let key = Self.firstIdle(&rest, busy, &looks) {
                opened.append(Cursor(lane: head.lane, rest: rest, key: key))
            }
        }
    }

    /// Goes on behind the download that ``next(where:)`` handed out last.
    mutating func advance() {
        guard let chosen else { return }
        if let key = Self.firstIdle(&opened[chosen].rest, busy, &looks) {
            opened[chosen].key = key
        } else {
            opened.remove(at: chosen)
        }
        self.chosen = nil
    }

    private static func firstIdle(
        _ keys: inout SortedList<QueueKey>.Iterator, _ busy: Set<DownloadID>, _ looks: inout Int
    ) -> QueueKey? {
        while let key = keys.next() {
            looks += 1
            if !busy.contains(key.id) { return key }
        }
        return nil
    }
}
