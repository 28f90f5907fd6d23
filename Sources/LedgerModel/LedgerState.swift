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

    /// The state of a snapshot; the catalog is a function of the downloads and is built anew.
    package init(queue image: QueueImage, statistics: Statistics, library: Library) {
        queue = Queue(image)
        catalog = Catalog()
        self.statistics = statistics
        self.library = library
        for download in image.downloads { catalog.update(from: nil, to: download) }
    }

    /// The last event folded.
    package var sequence: SequenceNumber { queue.sequence }

    /// The secrets that downloads, listings and entries need.
    package var ownedSecrets: Set<SecretReference> { queue.ownedSecrets.union(library.ownedSecrets) }

    /// Passes over an event that a newer program wrote and marked as one that this program may ignore.
    package mutating func pass(_ sequence: SequenceNumber) { queue.pass(sequence) }

    /// Whether an event can come next: what it is about was enqueued. Only a forged log holds one that can not, and
    /// ``apply(_:)`` traps on it.
    package func isReady(for event: Recorded) -> Bool {
        switch event.event {
        case .enqueued, .compacted, .checkpointed, .repaired, .redacted, .library: true
        case .resolved, .progressed, .verified, .completed, .failed, .paused, .resumed, .cancelled, .retried, .moved,
            .changed, .deleted, .restored, .missing, .altered, .found, .blamed,
            .rechecked, .unchanged, .used, .pinned:
            event.id.map(queue.contains) ?? false
        }
    }

    /// Leaves nothing of downloads that were redacted since, as if it were folded anew behind that.
    /// - Returns: whether there was anything of them.
    package mutating func forget(_ ids: Set<DownloadID>) -> Bool {
        let known = ids.compactMap { queue[$0] }
        for download in known { queue.forget(download.id) }
        forget(known)
        return !known.isEmpty
    }

    /// Leaves nothing of downloads that the queue has forgotten, but what figures over several downloads say.
    private mutating func forget(_ downloads: [Download]) {
        for download in downloads { catalog.forget(download) }
        var hosts = Set(downloads.map(\.order.url.host))
        for other in queue.downloads where !hosts.isEmpty { hosts.remove(other.order.url.host) }
        for host in hosts { statistics.forget(host: host) }
    }

    package mutating func apply(_ event: Recorded) {
        #if PLANTED_BUGS
            let event = PlantedBug.clockInFold.isOn ? event.readingClock() : event
        #endif
        // Most of a log is what running downloads report: it costs no look at the other projections.
        if Self.isOfQueueAlone(event.event) { return queue.apply(event) }
        if case .library(let change) = event.event {
            queue.apply(event)
            return library.apply(change, at: event.sequence, event.time)
        }
        let old = event.id.flatMap { queue[$0] }
        queue.apply(event)
        guard let id = event.id, let download = queue[id] else {
            if let old { forget([old]) }
            return
        }
        catalog.update(from: old, to: download)
        statistics.update(event, download)
    }

    /// Whether an event changes neither a finished file, nor what is known of one, nor a figure.
    private static func isOfQueueAlone(_ event: Event) -> Bool {
        switch event {
        case .resolved, .progressed, .verified, .paused, .resumed, .moved, .blamed, .compacted, .checkpointed,
            .repaired, .used, .pinned:
            true
        case .enqueued, .completed, .failed, .cancelled, .retried, .changed, .deleted, .restored, .missing, .altered,
            .found, .redacted, .rechecked, .unchanged, .library:
            false
        }
    }
}
