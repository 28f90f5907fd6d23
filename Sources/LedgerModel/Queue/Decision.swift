/// What a command amounts to: the events to record, and the download it joined instead of making a new one.
package struct Decision: Hashable, Sendable {
    /// What to record, in order; empty when a command only joined, or reported no news.
    package var events: [Proposed]
    /// The download that an `enqueue` joined.
    package var joined: DownloadID?

    /// A decision with its parts.
    package init(_ events: [Proposed], joined: DownloadID? = nil) {
        self.events = events
        self.joined = joined
    }

    /// An event that is not recorded yet.
    package struct Proposed: Hashable, Sendable {
        /// The download it is about; nil for `enqueued`, whose own sequence is the id, and for events about the log.
        package var id: DownloadID?
        /// What is to be recorded.
        package var event: Event

        /// An event about a download, or about the log.
        package init(_ id: DownloadID?, _ event: Event) {
            self.id = id
            self.event = event
        }
    }
}

extension Recorded {
    /// A proposed event as the log holds it: one that enqueues is about the download that it makes.
    package init(
        _ proposed: Decision.Proposed, as sequence: SequenceNumber, at time: Timestamp, command: CommandID?,
        actor: EventActor
    ) {
        let isNew = proposed.event.kind == .enqueued
        self.init(
            sequence: sequence, time: time, id: isNew ? DownloadID(sequence) : proposed.id, command: command,
            actor: actor, event: proposed.event)
    }
}

/// What may run at once, and how long the queue may be.
package struct Limits: Hashable, Sendable {
    /// Downloads at once, in total.
    package var runningMax: Int
    /// Downloads at once from one host.
    package var runningPerHostMax: Int
    /// Live downloads in the queue.
    package var queuedDownloadsMax: Int
    /// What becomes of one more.
    package var queuePolicy: QueuePolicy
    /// Where one more stands among those of its priority.
    package var queueOrder = QueueOrder.fifo
    /// The hours of the day in which any download may run; nil for all of them.
    package var window: DailyWindow?

    /// Limits; by default 4 at once, 4 for each host, and ten million live downloads, the next of which is refused.
    package init(
        runningMax: Int = 4, runningPerHostMax: Int = 4, queuedDownloadsMax: Int = 10_000_000,
        queuePolicy: QueuePolicy = .refuse, window: DailyWindow? = nil
    ) {
        self.runningMax = runningMax
        self.runningPerHostMax = runningPerHostMax
        self.queuedDownloadsMax = queuedDownloadsMax
        self.queuePolicy = queuePolicy
        self.window = window
    }
}

/// Which of those that wait comes next, of one priority.
package enum QueueOrder: String, Hashable, Sendable, CaseIterable {
    /// The one that was enqueued first.
    case fifo
    /// The one that was enqueued last.
    case lifo
}

/// What happens to one download more than the queue may hold. The names are those of flags and of the configuration.
package enum QueuePolicy: String, Hashable, Sendable, CaseIterable {
    /// It is refused.
    case refuse
    /// It takes the place of the oldest of the lowest priority that does not run.
    case evictOldest = "evict-oldest"
    /// It takes the place of the newest of the lowest priority that does not run.
    case evictNewest = "evict-newest"
}
