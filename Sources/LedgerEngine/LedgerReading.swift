package import LedgerAPI
import LedgerCoding
import LedgerLog
package import LedgerModel
import LedgerSystem

/// Looks at a ledger without holding it: beside a running process, on a copy, on a read-only disk. Blocks.
package struct LedgerReading: Sendable {
    private let home: LedgerHome
    private let world: World

    /// A look at the ledger in `home`.
    package init(home: LedgerHome, world: World) {
        self.home = home
        self.world = world
    }

    /// The state as it was at a point; nil means at the end of what is durable.
    /// - Throws: ``LedgerError/pastEnd(_:last:)`` and ``LedgerError/compacted(_:through:)`` for points the log does not
    ///   reach.
    package func state(at point: LogPoint? = nil) throws(LedgerError) -> LedgerState {
        switch point {
        case nil:
            return try state(through: nil)
        case .sequence(let sequence):
            let state = try state(through: sequence)
            guard state.sequence == sequence else { throw .pastEnd(.sequence(sequence), last: state.sequence) }
            return state
        case .time(let time):
            let (found, base) = (try sequence(at: time), try reader(after: .zero).baseSequence)
            // When the events before the base happened is no longer known.
            if found == base, base > .zero { throw .compacted(.time(time), through: base) }
            return try state(through: found)
        }
    }

    /// The last event recorded at or before an instant, by the wall clock of then.
    package func sequence(at time: Timestamp) throws(LedgerError) -> SequenceNumber {
        var found = SequenceNumber.zero
        var reader = try reader(after: .zero)
        do throws(LogError) {
            found = reader.baseSequence
            while let batch = try reader.next() {
                for record in batch.records where record.time <= time { found = record.sequence }
            }
        } catch { throw .log(error) }
        return found
    }

    /// The state after the event at `last`, or after the last durable one when the log ends before it.
    package func state(through last: SequenceNumber?) throws(LedgerError) -> LedgerState {
        let log = try reader(after: .zero)
        if let last, last < log.baseSequence { throw .compacted(.sequence(last), through: log.baseSequence) }
        var state = LedgerState()
        do throws(LogError) {
            let snapshot = try log.snapshots.load(atMost: last ?? SequenceNumber(.max)) { snapshot in
                // A snapshot is a cache: one that can not be read, or means something else, is folded anew.
                guard let image = StateSnapshot.state(of: snapshot) else { return false }
                state = image
                return true
            }
            if snapshot == nil, log.baseSequence > .zero {
                throw LogError(
                    .missing, "the snapshot that stands for the first \(log.baseSequence) events can not be read",
                    next: "put back 'snapshots' from a copy, or the archived segments into 'log'")
            }
        } catch { throw .log(error) }
        try fold(into: &state, through: last)
        return state
    }

    private func fold(into state: inout LedgerState, through last: SequenceNumber?) throws(LedgerError) {
        var reader = try EventReader(home: home, fileSystem: world.fileSystem, after: state.sequence)
        while last.map({ state.sequence < $0 }) ?? true, let batch = try reader.next() {
            var events = batch.events[...]
            var sequence = batch.first
            while sequence <= min(batch.last, last ?? batch.last) {
                if events.first?.sequence == sequence, let event = events.popFirst() {
                    guard state.isReady(for: event) else { throw .coding(.unknownDownload(event)) }
                    state.apply(event)
                } else {
                    state.pass(sequence)
                }
                sequence = sequence.next
            }
        }
    }

    private func reader(after sequence: SequenceNumber) throws(LedgerError) -> LogReader {
        do throws(LogError) {
            return try LogReader(home: home.path, fileSystem: world.fileSystem, after: sequence)
        } catch { throw .log(error) }
    }
}

extension CodingError {
    fileprivate static func unknownDownload(_ event: Recorded<Event>) -> CodingError {
        let kind = event.event.kind
        return CodingError(.unknownDownload).at(
            type: kind.rawValue, version: EventCoding.version(of: kind), sequence: event.sequence)
    }
}
