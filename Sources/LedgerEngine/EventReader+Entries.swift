package import LedgerModel

extension EventReader.Batch {
    /// Every sequence of the batch up to `limit`, in order, each with its event; without one where this program passes
    /// over the record: its content was taken out, or a newer program marked it so.
    package func entries(through limit: SequenceNumber = SequenceNumber(.max)) -> Entries {
        Entries(events: events, sequence: first, last: min(last, limit))
    }

    /// Goes over the sequences of a batch.
    package struct Entries: Sequence, IteratorProtocol {
        fileprivate let events: [Recorded]
        fileprivate var place = 0
        fileprivate var sequence: SequenceNumber
        fileprivate let last: SequenceNumber

        fileprivate init(events: [Recorded], sequence: SequenceNumber, last: SequenceNumber) {
            self.events = events
            self.sequence = sequence
            self.last = last
        }

        package mutating func next() -> (sequence: SequenceNumber, event: Recorded?)? {
            guard sequence <= last else { return nil }
            let current = sequence
            sequence = sequence.next
            guard place < events.count, events[place].sequence == current else { return (current, nil) }
            place += 1
            return (current, events[place - 1])
        }
    }
}
