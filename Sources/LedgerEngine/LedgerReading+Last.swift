package import LedgerAPI
package import LedgerModel

extension LedgerReading {
    /// The sequence that a point names, in a log that reaches it; nil names the last durable event.
    /// - Throws: ``LedgerError/pastEnd(_:last:)`` for a point the log does not reach.
    package func last(at point: LogPoint?) throws(LedgerError) -> SequenceNumber {
        switch point {
        case nil: return try end()
        case .sequence(let sequence):
            let end = try end()
            guard sequence <= end else { throw .pastEnd(.sequence(sequence), last: end) }
            return sequence
        case .time(let time): return try sequence(at: time)
        }
    }
}
