package import LedgerModel
import LedgerSystem

/// What a compaction would take out of the log.
package struct Droppable: Hashable, Sendable {
    /// The last sequence of it.
    package let last: SequenceNumber
    /// How many records.
    package let events: UInt64
    /// How many segment files.
    package let segments: Int
    /// Their bytes.
    package let bytes: UInt64
}

extension WriteAheadLog {
    /// The finished segments that end at or before `last`: what ``drop(through:archiving:snapshot:)`` would take out.
    /// Nil when there are none.
    package func droppable(through last: SequenceNumber) throws(LogError) -> Droppable? {
        let entries = manifest.segments.filter { $0.state == .sealed && $0.last <= last }
        guard let end = entries.last else { return nil }
        return Droppable(
            last: end.last, events: entries.reduce(0) { $0 + $1.count }, segments: entries.count,
            bytes: try measure(entries))
    }
}
