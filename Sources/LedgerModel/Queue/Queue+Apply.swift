extension Queue {
    package mutating func apply(_ event: Recorded<Event>) {
        advance(to: event)
        switch event.event {
        case .enqueued(let order, let priority, let rank):
            var phase = Phase.queued
            if let instant = order.options.value.notBefore, instant > event.time { phase = .waiting(until: instant) }
            let id = DownloadID(event.sequence)
            store(Download(id: id, order: order, phase: phase, priority: priority, rank: rank, addedAt: event.time))
        case .compacted, .checkpointed, .repaired, .redacted:
            break
        case .restored(let undone):
            if let entry = takeUndo(of: undone) { undo(entry) }
        case .resolved, .progressed, .verified, .completed, .failed, .paused, .resumed, .cancelled, .retried, .moved,
            .changed, .deleted, .missing, .altered, .found:
            guard let id = event.id, var download = downloads[id] else {
                preconditionFailure("an event about a download follows its enqueued")
            }
            if let inverse = download.inverse(of: event.event) {
                remember(UndoEntry(sequence: event.sequence, id: id, inverse: inverse))
            }
            download.apply(event)
            store(download)
        }
    }

    private mutating func undo(_ entry: UndoEntry) {
        guard var download = downloads[entry.id] else { return }
        switch entry.inverse {
        case .restore:
            download.phase = download.phaseBefore ?? .queued
            download.phaseBefore = nil
            download.deletion = nil
        case .resume: download.phase = .queued
        case .pause: download.phase = .paused
        case .move(let priority, let rank): (download.priority, download.rank) = (priority, rank)
        case .change(let order): download.order = order
        }
        download.epoch += 1
        store(download)
    }
}
