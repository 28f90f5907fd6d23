import LedgerCoding
package import LedgerModel

extension LedgerState {
    /// Folds the next event, or passes over one that this program may ignore.
    /// - Throws: ``LedgerError/coding(_:)`` for an event about a download that was never enqueued.
    package mutating func take(_ event: Recorded?, at sequence: SequenceNumber) throws(LedgerError) {
        guard let event else { return pass(sequence) }
        try take(event)
    }

    /// Folds the next event.
    /// - Throws: ``LedgerError/coding(_:)`` for an event about a download that was never enqueued.
    mutating func take(_ event: Recorded) throws(LedgerError) {
        guard applyIfReady(event) else { throw .coding(.unknownDownload(event)) }
    }
}

extension LedgerState {
    /// Decides what follows from what was submitted, hands each event to `record`, and folds it.
    ///
    /// All of it in place: what only reads a state that others may change meanwhile would have it copied first.
    /// - Returns: the events, and the download that an `enqueue` joined.
    mutating func execute(
        _ submission: Submission, at now: Timestamp, limits: Limits, running: Set<DownloadID>,
        record: (Recorded) -> Void
    ) throws(Rejection) -> (recorded: [Recorded], joined: DownloadID?) {
        let decision = try decide(submission.command, at: now, limits: limits, running: running)
        var recorded: [Recorded] = []
        recorded.reserveCapacity(decision.events.count)
        for proposed in decision.events {
            let event = Recorded(proposed, as: sequence.next, at: now, command: submission.id, actor: submission.actor)
            record(event)
            apply(event)
            #if PLANTED_BUGS
                if PlantedBug.eventAppliedTwice.isOn, event.event.kind == .failed { apply(event) }
            #endif
            recorded.append(event)
        }
        return (recorded, decision.joined)
    }
}

extension CodingError {
    fileprivate static func unknownDownload(_ event: Recorded) -> CodingError {
        let kind = event.event.kind
        return CodingError(.unknownDownload).at(
            type: kind.rawValue, version: EventCoding.version(of: kind), sequence: event.sequence)
    }
}
