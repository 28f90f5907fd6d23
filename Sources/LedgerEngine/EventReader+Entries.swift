package import LedgerModel

extension EventReader.Batch {
    /// Every sequence of the batch up to `limit`, in order, each with its event; without one where this program passes
    /// over the record: its content was taken out, or a newer program marked it so.
    package func entries(
        through limit: SequenceNumber = SequenceNumber(.max)
    ) -> [(sequence: SequenceNumber, event: Recorded<Event>?)] {
        var rest = events[...]
        var entries: [(sequence: SequenceNumber, event: Recorded<Event>?)] = []
        var sequence = first
        while sequence <= min(last, limit) {
            entries.append((sequence, rest.first?.sequence == sequence ? rest.popFirst() : nil))
            sequence = sequence.next
        }
        return entries
    }
}
