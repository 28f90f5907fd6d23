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

    /// Figures with every field given.
    package init(received: UInt64, total: UInt64?, resumedFrom: UInt64, rate: UInt64?) {
        self.received = received
        self.total = total
        self.resumedFrom = resumedFrom
        self.rate = rate
    }
}

extension DownloadRow {
    /// The row of a download: what the ledger knows, and what its worker is doing if one has it now.
    /// - Parameter opening: when the hours open that it waits for, if it does.
    package init(_ download: Download, live: LiveFigures? = nil, opening: Timestamp? = nil) {
        let order = download.order
        let destination = order.destination
        let name = destination.name ?? download.origin?.value.suggestedName ?? order.plannedName
        let path = download.file?.value.path ?? download.shownFile?.path ?? destination.path(of: name)
        self.init(
            id: download.id, url: order.url.text, path: path,
            state: DownloadState(download.phase, isRunning: live != nil),
            kind: Kind(mediaType: download.origin?.value.mediaType, name: path), priority: download.priority,
            addedAt: download.addedAt)
        // A worker that was stopped is at work for a moment yet, and one that ended has gauges for another.
        let live = state == .running ? live : nil
        // What the origin has just said goes on record with the first progress, up to a second later.
        size = download.file?.value.length ?? live?.total ?? download.origin?.value.length
        received = download.file?.value.length ?? max(live?.received ?? 0, download.durable.count)
        digest = download.shownFile?.sha256.description
        let labels = order.labels.value
        (group, title, details, tags) = (labels.group, labels.title, labels.details, labels.tags)
        let hasAttemptAtHand = state == .running || download.file != nil
        let attemptsKnown = download.failuresTotal + (hasAttemptAtHand ? 1 : 0)
        // An origin that answered was asked, though that attempt was stopped and neither failed nor goes on.
        attempts = download.startedAt == nil ? attemptsKnown : max(1, attemptsKnown)
        error = download.failure.map { Failing($0.value) }
        startedAt = download.startedAt
        completedAt = download.completedAt
        checkedAt = download.checkedAt
        if case .waiting(let until) = download.phase { retryAt = until }
        if let opening, live == nil { (state, retryAt) = (.waiting, opening) }
        rate = live?.rate
        resumedFrom = live?.resumedFrom
        insecure = order.options.value.isInsecure
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
