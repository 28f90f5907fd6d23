package import LedgerModel

extension EventReader.Batch {
    /// Folds the events of the batch up to `limit` into a state that stands before it, where they stand: none is
    /// copied.
    /// - Throws: ``LedgerError/coding(_:)`` for an event about a download that was never enqueued.
    package func fold(
        into state: inout LedgerState, through limit: SequenceNumber = SequenceNumber(.max)
    ) throws(LedgerError) {
        let end = min(last, limit)
        var next = first
        try events.lend { events throws(LedgerError) in
            for place in events.indices {
                let sequence = events[place].value.sequence
                guard sequence <= end else { break }
                while next < sequence {
                    state.pass(next)
                    next = next.next
                }
                try state.take(events[place])
                next = sequence.next
            }
        }
        while next <= end {
            state.pass(next)
            next = next.next
        }
    }

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
