import LedgerModel

/// What was told of downloads: makes of events the notifications that aria2 would send, in its order.
struct Chronicle: Sendable {
    typealias News = (Notification, DownloadID)

    /// What was said to have started, and not to have stopped.
    var started: Set<DownloadID> = []

    /// Takes note of what is at work.
    mutating func begin(_ active: Set<DownloadID>) -> [News] {
        active.sorted().filter { started.insert($0).inserted }.map { (.start, $0) }
    }

    /// What an event is told as.
    mutating func take(_ recorded: Recorded<Event>) -> [News] {
        guard let id = recorded.id else { return [] }
        switch recorded.event {
        case .resolved: return start(id)
        case .completed, .unchanged: return end(id, .complete)
        // A file that was found by reconciling came by no download.
        case .found: return started.contains(id) ? end(id, .complete) : []
        case .failed(let failure, let retryAt):
            guard retryAt == nil else { return [] }
            // What was evicted never ran.
            return failure.endsAttempt ? end(id, .error) : [(.error, id)]
        case .paused: return started.remove(id) == nil ? [] : [(.pause, id)]
        case .cancelled, .deleted: return started.remove(id) == nil ? [] : [(.stop, id)]
        case .enqueued, .progressed, .verified, .resumed, .retried, .moved, .changed, .restored, .missing, .altered,
            .compacted, .checkpointed, .repaired, .redacted, .blamed, .rechecked, .used, .pinned, .library:
            return []
        }
    }

    private mutating func start(_ id: DownloadID) -> [News] {
        started.insert(id).inserted ? [(.start, id)] : []
    }

    /// The end of what was at work; one that ended before anyone looked has its start told of too.
    private mutating func end(_ id: DownloadID, _ notification: Notification) -> [News] {
        let news = start(id) + [(notification, id)]
        started.remove(id)
        return news
    }
}

extension Event {
    /// Whether a ``Chronicle`` makes anything of it.
    var concernsHerald: Bool {
        switch kind {
        case .resolved, .completed, .unchanged, .found, .failed, .paused, .cancelled, .deleted: true
        case .enqueued, .progressed, .verified, .resumed, .retried, .moved, .changed, .restored, .missing, .altered,
            .compacted, .checkpointed, .repaired, .redacted, .blamed, .rechecked, .used, .pinned, .limited, .followed,
            .unfollowed, .listed, .delisted, .refreshed, .taken, .hooked, .delivered:
            false
        }
    }
}
