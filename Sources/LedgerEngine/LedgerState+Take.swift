import LedgerCoding
package import LedgerModel

extension LedgerState {
    /// Folds the next event, or passes over one that this program may ignore.
    /// - Throws: ``LedgerError/coding(_:)`` for an event about a download that was never enqueued.
    package mutating func take(_ event: Recorded?, at sequence: SequenceNumber) throws(LedgerError) {
        guard let event else { return pass(sequence) }
        guard isReady(for: event) else { throw .coding(.unknownDownload(event)) }
        apply(event)
    }
}

extension CodingError {
    fileprivate static func unknownDownload(_ event: Recorded) -> CodingError {
        let kind = event.event.kind
        return CodingError(.unknownDownload).at(
            type: kind.rawValue, version: EventCoding.version(of: kind), sequence: event.sequence)
    }
}
