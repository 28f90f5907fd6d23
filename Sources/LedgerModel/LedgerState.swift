/// All projections of a ledger at one sequence number.
package struct LedgerState: Projection {
    package static var version: UInt16 { Queue.version }

    /// Every download, in order.
    package private(set) var queue: Queue
    /// What has been downloaded.
    package private(set) var catalog: Catalog
    /// What was done.
    package private(set) var statistics: Statistics
    /// What fills the catalog and keeps it.
    package private(set) var library: Library

    package init() {
        queue = Queue()
        catalog = Catalog()
        statistics = Statistics()
        library = Library()
    }

    /// The state of a snapshot; the catalog is a function of the downloads and is built anew, as the queue's indexes
    /// are by `work`, but for those on demand.
    package init(
        queue image: QueueImage, statistics: Statistics, library: Library, by work: some WorkMap = SerialMap()
    ) {
        queue = Queue(unindexed: image)
        catalog = queue.followIndexes(by: work)
        self.statistics = statistics
        self.library = library
    }

    /// Lets a past be folded from its first event: nothing that is a function of the downloads follows them meanwhile,
    /// and all of it but what is found on demand is built once at the end, by `work`. `fold` may do nothing but
    /// ``apply(_:)`` and what stands for it.
    package mutating func foldPast<Problem: Error>(
        by work: some WorkMap = SerialMap(), _ fold: (inout LedgerState) throws(Problem) -> Void
    ) throws(Problem) {
        guard sequence == .zero else { return try fold(&self) }
        queue.suspendIndexes()
        defer { catalog = queue.followIndexes(by: work) }
        try fold(&self)
    }

    /// The last event folded.
    package var sequence: SequenceNumber { queue.sequence }

    /// The download whose file stands under this absolute path: that which published there last; nil when none did. The
    /// first such question to a state that was just opened is O(downloads).
    package func owner(of path: String) -> DownloadID? { catalog.owners.of(queue.downloads)[path] }

    /// All downloads that published a file under this absolute path, ``owner(of:)`` first.
    package func publishers(of path: String) -> [DownloadID] {
        catalog.owners.of(queue.downloads).publishers(of: path)
    }

    /// Finds out what downloads go by and whose file stands where, for this state and every copy of it that does not
    /// change meanwhile, so that who asks first need not wait for it. O(downloads) where nobody asked before.
    package func prepareIndexes() {
        _ = queue.names
        _ = catalog.owners.of(queue.downloads)
    }

    /// The secrets that downloads, listings and entries need.
    package var ownedSecrets: Set<SecretReference> { queue.ownedSecrets.union(library.ownedSecrets) }

    /// Passes over an event that a newer program wrote and marked as one that this program may ignore.
    package mutating func pass(_ sequence: SequenceNumber) { queue.pass(sequence) }

    /// Leaves nothing of downloads that were redacted since, as if it were folded anew behind that.
    /// - Returns: whether there was anything of them.
    package mutating func forget(_ ids: Set<DownloadID>) -> Bool {
        let known = ids.compactMap { queue[$0] }
        guard !known.isEmpty else { return false }
        queue.forget(ids)
        forget(known)
        return true
    }

    /// Leaves nothing of downloads that the queue has forgotten, but what figures over several downloads say.
    private mutating func forget(_ downloads: [Download]) {
        // While a past is folded there is no catalog yet: it is built at the end, of what is left.
        if queue.isIndexed { for download in downloads { catalog.forget(download) } }
        var hosts = Set(downloads.map(\.order.url.host))
        queue.downloads.visit { row in
            if !hosts.isEmpty { hosts.remove(row.value.order.url.host) }
        }
        for host in hosts { statistics.forget(host: host) }
    }

    package mutating func apply(_ event: Recorded) {
        let isApplied = applyIfReady(event)
        precondition(isApplied, "an event about a download follows its enqueued")
    }

    /// Takes one event into account, if it can come next: what it is about was enqueued. Only a forged log holds one
    /// that can not.
    /// - Returns: whether it was taken into account.
    package mutating func applyIfReady(_ event: Recorded) -> Bool {
        #if PLANTED_BUGS
            let event = PlantedBug.clockInFold.isOn ? event.readingClock() : event
        #endif
        // By its kind: a look at what an event holds is a copy of it.
        switch event.event.kind {
        case .limited, .followed, .unfollowed, .listed, .delisted, .refreshed, .taken, .hooked, .delivered:
            queue.apply(event, at: nil)
            if case .library(let change) = event.event { library.apply(change, at: event.sequence, event.time) }
        case .compacted, .checkpointed, .repaired:
            queue.apply(event, at: nil)
        // Most of a log is what running downloads report: it costs no look at the other projections.
        case .resolved, .progressed, .verified, .paused, .resumed, .moved, .blamed, .used, .pinned:
            guard let place = queue.place(of: event) else { return false }
            queue.apply(event, at: place)
        case .completed, .failed, .cancelled, .retried, .changed, .deleted, .restored, .missing, .altered, .found,
            .rechecked, .unchanged, .relocated:
            guard let place = queue.place(of: event) else { return false }
            applyToAll(event, at: place)
        case .enqueued: applyToAll(event, at: nil)
        case .redacted: applyToAll(event, at: queue.place(of: event))
        }
        return true
    }

    /// Takes an event into account that may change a finished file, what is known of one, or a figure.
    private mutating func applyToAll(_ event: Recorded, at place: DownloadTable.Index?) {
        let isForgetting = event.event.kind == .redacted
        let old = queue.isIndexed || isForgetting ? place.map { queue.downloads[$0] } : nil
        queue.apply(event, at: place)
        guard !isForgetting else {
            if let old { forget([old]) }
            return
        }
        guard let id = event.id, let place = place ?? queue.downloads.index(of: id) else { return }
        if queue.isIndexed { catalog.update(from: old, to: queue.downloads[place]) }
        statistics.update(event, queue.downloads[place].order.url)
    }
}
