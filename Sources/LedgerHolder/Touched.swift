package import LedgerModel

/// The downloads that a stretch of events is about.
package struct Touched: Sendable {
    /// The end of the stretch.
    var last: SequenceNumber
    /// All of them.
    var ids: Set<DownloadID> = []
    /// Those that became live within it; they may have ended within it, too.
    var begun: Set<DownloadID> = []
    /// Those that are new, or were brought back by an undo.
    package var added: Set<DownloadID> = []
    /// Those that came to an end within it, whatever it is, and were not brought back by an undo.
    package var ended: Set<DownloadID> = []

    init(last: SequenceNumber) { self.last = last }

    mutating func take(_ event: Recorded) {
        guard let id = event.id else { return }
        ids.insert(id)
        switch event.event {
        case .enqueued:
            added.insert(id)
            begun.insert(id)
        case .restored:
            added.insert(id)
            ended.remove(id)
        case .retried, .rechecked: begun.insert(id)
        case .found(_, _, _, isKnown: true): break
        case .completed, .found, .unchanged, .failed, .cancelled: ended.insert(id)
        case .deleted(let deletion): if case .expired = deletion { break } else { ended.insert(id) }
        case .resolved, .progressed, .verified, .paused, .resumed, .moved, .changed, .missing, .altered, .compacted,
            .checkpointed, .repaired, .redacted, .blamed, .used, .pinned, .relocated, .library:
            break
        }
    }
}
