import LedgerModel

/// Which downloads were given a GID by who added them, so that none of it costs a look at all downloads: not a question
/// about a GID that is gone, and not the addition of many under GIDs of their own.
struct ChosenGIDs: Fold {
    /// Of each GID those that ever had it, in the order they were added; who asks looks which is still there.
    private(set) var downloads: [GID: [DownloadID]] = [:]
    /// Those that something is just being added under.
    private var reserved: Set<GID> = []

    /// Keeps a GID for one who adds something; false when another one does so now.
    mutating func reserve(_ gid: GID) -> Bool { reserved.insert(gid).inserted }

    /// Lets go of a GID: what was added under it is in the ledger now, if it could be.
    mutating func release(_ gid: GID) { reserved.remove(gid) }

    static func minds(_ event: Event) -> Bool { event.kind == .enqueued }

    mutating func begin(_ queue: Queue) {
        let chosen = queue.downloads.lazy
            .compactMap { download in download.order.chosenGID.map { ($0, download.id) } }
        downloads = Dictionary(grouping: chosen, by: \.0).mapValues { $0.map(\.1) }
    }

    mutating func take(_ event: Recorded, _ queue: Queue) {
        guard case .enqueued(let order, _, _) = event.event, let gid = order.chosenGID else { return }
        downloads[gid, default: []].append(DownloadID(event.sequence))
    }
}

extension Order {
    /// The GID that who added it chose; nil without one.
    fileprivate var chosenGID: GID? { labels.value.identifier.flatMap(GID.init(chosen:)) }
}
