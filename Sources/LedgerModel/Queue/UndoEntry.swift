/// What it takes to undo an event.
package struct UndoEntry: Hashable, Sendable {
    /// The event that can be undone.
    package let sequence: SequenceNumber
    /// The download it was about.
    package let id: DownloadID
    /// What undoes it.
    package let inverse: Inverse

    /// How to undo.
    package enum Inverse: Hashable, Sendable {
        /// Return to the phase before a deletion or a cancellation.
        case restore
        case resume
        case pause
        case move(priority: Int32, rank: Rank)
        case change(Order)
    }

    /// An entry made when its event was folded.
    package init(sequence: SequenceNumber, id: DownloadID, inverse: Inverse) {
        self.sequence = sequence
        self.id = id
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
