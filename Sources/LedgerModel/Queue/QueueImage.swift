/// What a queue is made of without its indexes: what a snapshot holds.
package struct QueueImage: Hashable, Sendable {
    /// The last event folded.
    package var sequence: SequenceNumber
    /// Every download.
    package var downloads: DownloadTable
    /// What can be undone, oldest first.
    package var undoable: [UndoEntry]
    /// Recent commands with their answers, oldest first.
    package var answers: [Answer]
    /// The highest rank ever given.
    package var rankMax: Rank
    /// The lowest rank ever given.
    package var rankMin: Rank

    /// A recent command and what it was answered.
    package struct Answer: Hashable, Sendable {
        /// The command.
        package var command: CommandID
        /// Its answer.
        package var answer: CommandAnswer

        /// A pair to be remembered.
        package init(command: CommandID, answer: CommandAnswer) {
            self.command = command
            self.answer = answer
        }
    }

    /// An image with every part given.
    package init(
        sequence: SequenceNumber, downloads: DownloadTable, undoable: [UndoEntry], answers: [Answer], rankMax: Rank,
        rankMin: Rank
    ) {
        self.sequence = sequence
        self.downloads = downloads
        self.undoable = undoable
        self.answers = answers
        self.rankMax = rankMax
        self.rankMin = rankMin
    }
}
