import LedgerCoding
package import LedgerModel

extension LedgerState {
    /// Folds the next event, or passes over one that this program may ignore.
    /// - Throws: ``LedgerError/coding(_:)`` for an event about a download that was never enqueued.
    package mutating func take(_ event: Recorded?, at sequence: SequenceNumber) throws(LedgerError) {
        guard let event else { return pass(sequence) }
        try take(event)
    }

    /// Folds the next event, where it stands.
    /// - Throws: ``LedgerError/coding(_:)`` for an event about a download that was never enqueued.
    mutating func take(_ event: borrowing Lent<Recorded>) throws(LedgerError) { try take(event.value) }

    /// Folds the next event.
    /// - Throws: ``LedgerError/coding(_:)`` for an event about a download that was never enqueued.
    private mutating func take(_ event: Recorded) throws(LedgerError) {
        guard applyIfReady(event) else { throw .coding(.unknownDownload(event)) }
    }
}

extension LedgerState {
    /// Decides what follows from what was submitted, hands the events to `record`, and folds them.
    ///
    /// All of it in place: what only reads a state that others may change meanwhile would have it copied first.
    /// - Returns: the events, and the download that an `enqueue` joined.
    /// - Throws: why nothing was recorded, of deciding or of `record`; then nothing is folded.
    mutating func execute(
        _ submission: Submission, at now: Timestamp, limits: Limits, running: Set<DownloadID>,
        record: ([Recorded]) throws(Rejection) -> Void
    ) throws(Rejection) -> (recorded: [Recorded], joined: DownloadID?) {
        let decision = try decide(submission.command, at: now, limits: limits, running: running)
        var (events, next) = ([Recorded](), sequence.next)
        events.reserveCapacity(decision.events.count)
        for proposed in decision.events {
            events.append(Recorded(proposed, as: next, at: now, command: submission.id, actor: submission.actor))
            next = next.next
        }
        try record(events)
        for event in events {
            apply(event)
            #if PLANTED_BUGS
                if PlantedBug.eventAppliedTwice.isOn, event.event.kind == .failed { apply(event) }
            #endif
        }
        return (events, decision.joined)
    }
}

extension CodingError {
    fileprivate static func unknownDownload(_ event: Recorded) -> CodingError {
        let kind = event.event.kind
        return CodingError(.unknownDownload).at(
            type: kind.rawValue, version: EventCoding.version(of: kind), sequence: event.sequence)
    }
}
