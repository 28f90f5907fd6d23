/// Walks the downloads that are due again in the order of the queue, leaving out lanes that have no room.
///
/// They are kept by the instant they wait for, so some are gathered and put in order at a time. Those of full
/// lanes are never gathered: however many wait in one, they do not stand before those of another.
struct DueCursor {
    /// How many are gathered at a time; with more due than that, the others come when these have started or their
    /// lanes are full.
    static let gatheredMax = 1024

    private let queue: Queue
    private let now: Timestamp
    private var busy: Set<DownloadID>
    private var gathered: ArraySlice<Due> = []
    private var mayBeMore = true
    /// How many lanes and downloads were looked at.
    private(set) var looks = 0

    /// A download that is due, and its lane.
    private struct Due {
        let key: QueueKey
        let lane: Lane
    }

    init(_ queue: Queue, at now: Timestamp, skipping busy: Set<DownloadID>) {
        self.queue = queue
        self.now = now
        self.busy = busy
    }

    /// The first due download whose lane has room. It is handed out again until ``advance()``.
    mutating func next(where hasRoom: (Lane) -> Bool) -> QueueKey? {
        while true {
            while let due = gathered.first, !hasRoom(due.lane) { gathered.removeFirst() }
            if let due = gathered.first { return due.key }
            guard mayBeMore else { return nil }
            gather(hasRoom)
        }
    }

    /// Goes on behind the download that ``next(where:)`` handed out last.
    mutating func advance() {
        if let due = gathered.popFirst() { busy.insert(due.key.id) }
    }

    private mutating func gather(_ hasRoom: (Lane) -> Bool) {
        var found: [Due] = []
        mayBeMore = false
        lanes: for head in queue.waitingByLane.heads {
            looks += 1
            guard head.first.until <= now else { break }
            guard hasRoom(head.lane) else { continue }
            for waiting in queue.waitingByLane[head.lane] {
                guard waiting.until <= now else { break }
                looks += 1
                guard !busy.contains(waiting.id), let download = queue.downloads[waiting.id] else { continue }
                guard found.count < Self.gatheredMax else {
                    mayBeMore = true
                    break lanes
                }
                found.append(Due(key: download.key, lane: head.lane))
            }
        }
        gathered = found.sorted { $0.key < $1.key }[...]
    }
}
