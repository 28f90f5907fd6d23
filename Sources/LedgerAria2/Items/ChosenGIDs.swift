import LedgerAPI
import LedgerEngine
import LedgerHolder
import LedgerModel

/// Which downloads were given a GID by who added them, so that none of it costs a look at all downloads: not a question
/// about a GID that is gone, and not the addition of many under GIDs of their own.
actor ChosenGIDs {
    /// A stretch of events longer than this is not read: the state is looked through again instead.
    private static let eventsMax: UInt64 = 200_000

    private let service: LedgerService
    private var seen: SequenceNumber?
    /// Of each GID those that ever had it, in the order they were added; who asks looks which is still there.
    private var downloads: [GID: [DownloadID]] = [:]
    /// Those that something is just being added under.
    private var reserved: Set<GID> = []

    init(_ service: LedgerService) { self.service = service }

    /// The downloads that were given a GID, the newest last; some of them may have been deleted.
    func downloads(of gid: GID) async throws(Problem) -> [DownloadID] {
        try await refresh()
        return downloads[gid] ?? []
    }

    /// Keeps a GID for one who adds something; false when another one does so now.
    func reserve(_ gid: GID) -> Bool { reserved.insert(gid).inserted }

    /// Lets go of a GID: what was added under it is in the ledger now, if it could be.
    func release(_ gid: GID) { reserved.remove(gid) }

    private func refresh() async throws(Problem) {
        guard let begin = seen, service.ledger.lastSequence.rawValue - begin.rawValue <= Self.eventsMax else {
            return try await lookThrough()
        }
        var events = service.ledger.events(after: begin).makeAsyncIterator()
        do throws(LedgerError) {
            while let before = seen, before < service.ledger.lastSequence, let batch = try await events.next() {
                take(batch)
            }
        } catch {
            // A compaction took away what nobody had looked at for long.
            if case .compacted = error { return try await lookThrough() }
            throw Problem(error)
        }
    }

    /// Takes a batch into account. Another request may have done so while it was waited for.
    private func take(_ batch: [Recorded<Event>]) {
        for recorded in batch where seen.map({ recorded.sequence > $0 }) ?? false {
            if case .enqueued(let order, _, _) = recorded.event, let gid = order.chosenGID {
                downloads[gid, default: []].append(recorded.id ?? DownloadID(recorded.sequence))
            }
            seen = recorded.sequence
        }
    }

    private func lookThrough() async throws(Problem) {
        let (sequence, chosen) = try await service.read { state in
            let chosen = state.queue.downloads.values.lazy
                .compactMap { download in download.order.chosenGID.map { ($0, download.id) } }.sorted { $0.1 < $1.1 }
            return (state.sequence, chosen)
        }
        // The first of two that look begins to follow; the other one knows less or the same.
        if let seen, sequence <= seen { return }
        downloads = Dictionary(grouping: chosen, by: \.0).mapValues { $0.map(\.1) }
        seen = sequence
    }
}

extension Order {
    /// The GID that who added it chose; nil without one.
    fileprivate var chosenGID: GID? { labels.value.identifier.flatMap(GID.init(chosen:)) }
}
