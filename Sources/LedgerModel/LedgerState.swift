/// All projections of a ledger at one sequence number.
package struct LedgerState: Projection {
    package static var version: UInt16 { Queue.version }

    /// Every download, in order.
    package private(set) var queue: Queue
    /// What has been downloaded.
    package private(set) var catalog: Catalog
    /// What was done.
    package private(set) var statistics: Statistics

    package init() {
        queue = Queue()
        catalog = Catalog()
        statistics = Statistics()
    }

    /// The state of a snapshot; the catalog is a function of the downloads and is built anew.
    package init(queue image: QueueImage, statistics: Statistics) {
        queue = Queue(image)
        catalog = Catalog()
        self.statistics = statistics
        for download in image.downloads { catalog.update(from: nil, to: download) }
    }

    /// The last event folded.
    package var sequence: SequenceNumber { queue.sequence }

    /// Passes over an event that a newer program wrote and marked as one that this program may ignore.
    package mutating func pass(_ sequence: SequenceNumber) { queue.pass(sequence) }

    /// Whether an event can come next: what it is about was enqueued. Only a forged log holds one that can not, and
    /// ``apply(_:)`` traps on it.
    package func isReady(for event: Recorded<Event>) -> Bool {
        switch event.event {
        case .enqueued, .compacted, .checkpointed, .repaired, .redacted: true
        case .resolved, .progressed, .verified, .completed, .failed, .paused, .resumed, .cancelled, .retried, .moved,
            .changed, .deleted, .restored, .missing, .altered, .found, .blamed,
            .rechecked, .unchanged:
            event.id.map(queue.contains) ?? false
        }
    }

    /// Leaves nothing of a download that was redacted, but what figures over several downloads say.
    private mutating func forget(_ download: Download) {
        catalog.forget(download)
        let host = download.order.url.host
        if !queue.downloads.values.contains(where: { $0.order.url.host == host }) { statistics.forget(host: host) }
    }

    package mutating func apply(_ event: Recorded<Event>) {
        // Most of a log is what running downloads report: it costs no look at the other projections.
        if Self.isOfQueueAlone(event.event) { return queue.apply(event) }
        let old = event.id.flatMap { queue[$0] }
        queue.apply(event)
        guard let id = event.id, let download = queue[id] else {
            if let old { forget(old) }
            return
        }
        catalog.update(from: old, to: download)
        statistics.update(event, download)
    }

    /// Whether an event changes neither a finished file, nor what is known of one, nor a figure.
    private static func isOfQueueAlone(_ event: Event) -> Bool {
        switch event {
        case .resolved, .progressed, .verified, .paused, .resumed, .moved, .blamed, .compacted, .checkpointed,
            .repaired:
            true
        case .enqueued, .completed, .failed, .cancelled, .retried, .changed, .deleted, .restored, .missing, .altered,
            .found, .redacted, .rechecked, .unchanged:
            false
        }
    }
}
