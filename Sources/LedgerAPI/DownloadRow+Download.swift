package import LedgerModel

/// What a worker is doing right now; memory of the process that runs it, never recorded.
package struct LiveFigures: Hashable, Sendable {
    /// Bytes received, the durable ones among them.
    package var received: UInt64
    /// Bytes there will be; nil while unknown.
    package var total: UInt64?
    /// Bytes that were there when the attempt began.
    package var resumedFrom: UInt64
    /// Bytes a second over the last seconds; nil before it was measured.
    package var rate: UInt64?
    /// How many ranges are asked for or received beside each other.
    package var streams: Int

    /// Figures with every field given.
    package init(received: UInt64, total: UInt64?, resumedFrom: UInt64, rate: UInt64?, streams: Int) {
        self.received = received
        self.total = total
        self.resumedFrom = resumedFrom
        self.rate = rate
        self.streams = streams
    }
}

extension DownloadRow {
    /// The row of a download: what the ledger knows, and what its worker is doing if one has it now.
    /// - Parameter opening: when the hours open that it waits for, if it does.
    package init(_ download: Download, live: LiveFigures? = nil, opening: Timestamp? = nil) {
        self.init(ShownDownload(download, live: live, opening: opening))
    }

    /// The row of a download as it stands at one instant.
    package init(_ shown: ShownDownload) {
        let (download, live, path) = (shown.download, shown.live, shown.path)
        self.init(
            id: shown.id, url: shown.url, path: path, state: shown.state, kind: shown.kind(at: path),
            priority: shown.priority, addedAt: shown.addedAt)
        size = shown.size
        received = download.file?.value.length ?? max(live?.received ?? 0, download.durable.count)
        digest = download.shownFile?.sha256.description
        let labels = download.order.labels.value
        (group, title, details, tags) = (labels.group, labels.title, labels.details, labels.tags)
        let hasAttemptAtHand =
            DownloadState(download.phase, isRunning: live != nil) == .running || download.file != nil
        let attemptsKnown = download.failuresTotal + (hasAttemptAtHand ? 1 : 0)
        // An origin that answered was asked, though that attempt was stopped and neither failed nor goes on.
        attempts = download.startedAt == nil ? attemptsKnown : max(1, attemptsKnown)
        error = download.failure.map { Failing($0.value) }
        if let hindrance = shown.hindrance {
            error = Failing(code: Failing.notNow, message: hindrance, retryable: true)
        }
        startedAt = download.startedAt
        completedAt = shown.completedAt
        checkedAt = download.checkedAt
        if case .waiting(let until) = download.phase { retryAt = until }
        retryAt = shown.opening ?? retryAt
        rate = live?.rate
        resumedFrom = live?.resumedFrom
        streams = live?.streams
        insecure = download.order.options.value.isInsecure
        checksum = download.order.expected?.description
        output = download.order.destination.name
        options = download.order.asked
        (identifier, published) = (labels.identifier, labels.published)
        (usedAt, pinned) = (download.usedAt, download.isPinned)
    }
}

extension DownloadState {
    /// The state that people see of a phase.
    package init(_ phase: Phase, isRunning: Bool) {
        switch phase {
        case .queued: self = isRunning ? .running : .queued
        case .waiting: self = .waiting
        case .paused: self = .paused
        case .publishing: self = .running
        case .completed: self = .completed
        case .missing: self = .missing
        case .altered: self = .altered
        case .failed: self = .failed
        case .cancelled: self = .cancelled
        case .deleted: self = .deleted
        }
    }
}
