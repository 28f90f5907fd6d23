package import LedgerModel

extension EventReader {
    /// What stands at one sequence of the log.
    package enum Entry: Sendable {
        /// An event.
        case event(Recorded<Event>)
        /// A record that this program passes over: its payload was removed, or a newer program marked it so.
        case gap(SequenceNumber)
    }
}

extension EventReader.Batch {
    /// Every sequence of the batch up to `limit`, in order.
    package func entries(through limit: SequenceNumber) -> [EventReader.Entry] {
        var rest = events[...]
        var entries: [EventReader.Entry] = []
        var sequence = first
        while sequence <= min(last, limit) {
            if rest.first?.sequence == sequence, let event = rest.popFirst() {
                entries.append(.event(event))
            } else {
                entries.append(.gap(sequence))
            }
            sequence = sequence.next
        }
        return entries
    }
}
