extension Queue {
    package mutating func apply(_ event: Recorded) {
        apply(event, at: event.event.kind == .enqueued ? nil : place(of: event))
    }

    /// Takes an event into account whose download stands at `place`; nil when it is about none that is known.
    mutating func apply(_ event: Recorded, at place: DownloadTable.Index?) {
        advance(to: event)
        switch event.event {
        case .enqueued(let order, let priority, let rank):
            var download = Download(
                id: DownloadID(event.sequence), order: sharing(order), phase: .queued, priority: priority, rank: rank,
                addedAt: event.time)
            download.wait(at: event.time)
            store(download)
        case .redacted:
            if let id = event.id { forget([id]) }
        case .compacted, .checkpointed, .repaired, .library:
            break
        case .restored(let undone):
            if let entry = takeUndo(of: undone) { undo(entry, at: event.time) }
        case .resolved, .progressed, .verified, .completed, .failed, .retried, .missing, .altered, .found, .blamed,
            .rechecked, .unchanged, .used, .pinned:
            report(event, at: known(place))
        case .paused, .resumed, .cancelled, .moved, .changed, .deleted, .relocated:
            var download = downloads[known(place)]
            if let inverse = download.inverse(of: event.event), !keepsPlace(download, event.event) {
                remember(
                    UndoEntry(
                        sequence: event.sequence, id: download.id, time: event.time, actor: event.actor,
                        inverse: inverse))
            }
            download.apply(event)
            store(download)
        }
    }

    private func known(_ place: DownloadTable.Index?) -> DownloadTable.Index {
        guard let place else { preconditionFailure("an event about a download follows its enqueued") }
        return place
    }

    /// The order with the directory of the download before it in one piece of memory where both are the same bytes: a
    /// list of a million URLs names one directory a million times. By bytes, since texts that are equal to Swift may be
    /// two names to a disk.
    private func sharing(_ order: Order) -> Order {
        guard !downloads.isEmpty else { return order }
        let last = downloads[downloads.index(before: downloads.endIndex)].order.destination.directory
        guard last.hasBytes(of: order.destination.directory) else { return order }
        var shared = order
        shared.destination = Destination(
            directory: last, name: order.destination.name, collision: order.destination.collision)
        return shared
    }

    /// Whether a move leaves the order as it was: neighbours that were shifted to make room are not a user's move, and
    /// undoing one would do nothing anyone can see.
    private mutating func keepsPlace(_ download: Download, _ event: Event) -> Bool {
        guard case .moved(download.priority, let rank) = event, download.phase.isLive else { return false }
        followOrder()
        let moved = QueueKey(priority: download.priority, rank: rank, id: download.id)
        let next = live.firstIndex(after: min(moved, download.key))
        return next == live.endIndex || live[next] >= max(moved, download.key)
    }

    private mutating func undo(_ entry: UndoEntry, at now: Timestamp) {
        guard var download = downloads[entry.id] else { return }
        switch entry.inverse {
        case .restore(let phase): (download.phase, download.epoch) = (phase, download.epoch + 1)
        case .resume:
            download.wait(at: now)
            download.epoch += 1
        case .pause: (download.phase, download.epoch) = (.paused, download.epoch + 1)
        // A worker may go on, as it may when the download is changed in this way, or moved.
        case .change(let order): download.change(order.standing(where: download.order), at: now)
        case .move(let priority, let rank): (download.priority, download.rank) = (priority, rank)
        }
        store(download)
    }
}

extension String {
    /// Whether both are the same bytes: two texts that are equal to Swift need not be.
    fileprivate func hasBytes(of other: String) -> Bool {
        let (own, theirs) = (utf8.span, other.utf8.span)
        guard own.count == theirs.count else { return false }
        for place in own.indices where own[place] != theirs[place] { return false }
        return true
    }
}
