import LedgerModel

/// What was told of downloads: makes of events the notifications that aria2 would send, in its order.
struct Chronicle: Fold {
    typealias News = (notification: Notification, id: DownloadID)

    /// Who listens knows of these downloads that they are at work, if they are so at the first look.
    private var known: SequenceNumber
    /// What was said to have started, and not to have stopped.
    private var started: Set<DownloadID> = []
    private var news: [News] = []

    /// - Parameter start: what happens after it is told.
    init(after start: SequenceNumber) { known = start }

    /// What is to be told, after all events up to now; what is at work and was not said to be begins with it.
    mutating func tell(active: Set<DownloadID>) -> [News] {
        for id in active.sorted() where started.insert(id).inserted && id.sequence > known { news.append((.start, id)) }
        known = .zero
        defer { news = [] }
        return news
    }

    static func minds(_ event: Event) -> Bool {
        switch event.kind {
        case .resolved, .completed, .unchanged, .found, .failed, .paused, .cancelled, .deleted: true
        case .enqueued, .progressed, .verified, .resumed, .retried, .moved, .changed, .restored, .missing, .altered,
            .compacted, .checkpointed, .repaired, .redacted, .blamed, .rechecked, .used, .pinned, .limited, .followed,
            .unfollowed, .listed, .delisted, .refreshed, .taken, .hooked, .delivered, .relocated:
            false
        }
    }

    /// What runs is told of all the same.
    mutating func begin(_ queue: Queue) {}

    mutating func take(_ recorded: Recorded, _ queue: Queue) {
        guard let id = recorded.id else { return }
        switch recorded.event {
        case .resolved: start(id)
        case .completed, .unchanged: end(id, .complete)
        // A file that was found by reconciling came by no download.
        case .found: if started.contains(id) { end(id, .complete) }
        case .failed(let failure, let retryAt):
            if retryAt != nil { return }
            // What was evicted never ran.
            if failure.endsAttempt { end(id, .error) } else { news.append((.error, id)) }
        case .paused: stop(id, .pause)
        case .cancelled, .deleted: stop(id, .stop)
        default: break
        }
    }

    private mutating func start(_ id: DownloadID) { if started.insert(id).inserted { news.append((.start, id)) } }

    private mutating func stop(_ id: DownloadID, _ notification: Notification) {
        if started.remove(id) != nil { news.append((notification, id)) }
    }

    /// The end of what was at work; one that ended before anyone looked has its start told of too.
    private mutating func end(_ id: DownloadID, _ notification: Notification) {
        start(id)
        stop(id, notification)
    }
}
