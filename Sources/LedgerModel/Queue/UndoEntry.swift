/// What it takes to undo an event.
package struct UndoEntry: Hashable, Sendable {
    /// The event that can be undone.
    package let sequence: SequenceNumber
    /// The download it was about.
    package let id: DownloadID
    /// When it was recorded; nil in what a snapshot of an older program remembers.
    package let time: Timestamp?
    /// Who caused it; nil as ``time`` is.
    package let actor: EventActor?
    /// What undoes it.
    package let inverse: Inverse

    /// How to undo.
    package enum Inverse: Hashable, Sendable {
        /// Return to this phase, in which the download was deleted or cancelled.
        case restore(Phase)
        case resume
        case pause
        case move(priority: Int32, rank: Rank)
        case change(Order)

        /// Whether it may take a download from its worker.
        package var interrupts: Bool {
            switch self {
            case .pause, .change: true
            case .restore, .resume, .move: false
            }
        }

        /// Whether it brings back what was deleted or cancelled.
        var isRestoring: Bool {
            switch self {
            case .restore: true
            case .resume, .pause, .move, .change: false
            }
        }

        /// Whether it brings back an order as it was.
        var isChange: Bool {
            switch self {
            case .change: true
            case .restore, .resume, .pause, .move: false
            }
        }
    }

    /// An entry made when its event was folded.
    package init(
        sequence: SequenceNumber, id: DownloadID, time: Timestamp?, actor: EventActor?, inverse: Inverse
    ) {
        self.sequence = sequence
        self.id = id
        self.time = time
        self.actor = actor
        self.inverse = inverse
    }
}

/// What a command was answered: the events it made, which stand side by side in the log.
package struct CommandAnswer: Hashable, Sendable {
    /// The first event.
    package var first: SequenceNumber
    /// How many events it made.
    package var count: UInt32

    /// An answer to be repeated.
    package init(first: SequenceNumber, count: UInt32) {
        self.first = first
        self.count = count
    }
}
