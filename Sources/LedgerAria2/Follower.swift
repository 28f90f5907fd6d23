import LedgerAPI
import LedgerEngine
import LedgerHolder
import LedgerModel
import Synchronization

/// What is made of the events of a ledger beside its state: a value that changes with each of them, and reads nothing.
protocol Fold: Sendable {
    /// Whether an event changes anything.
    static func minds(_ event: Event) -> Bool

    /// Takes in how all stands, where the events that led there are not to be had.
    mutating func begin(_ queue: Queue)

    /// Takes in an event that it minds. The queue is as it was after it, or later.
    mutating func take(_ event: Recorded, _ queue: Queue)
}

/// Keeps a fold up to what happens in a ledger, from look to look: what nobody looks at costs nothing.
final class Follower<Content: Fold>: Sendable {
    private struct State {
        var fold: Content
        var seen: SequenceNumber?

        mutating func take(_ events: [Recorded]?, through last: SequenceNumber, _ ledger: LedgerState) {
            guard let events, let seen else {
                fold.begin(ledger.queue)
                self.seen = ledger.sequence
                return
            }
            // Another look may have taken in some of them meanwhile.
            for event in events where event.sequence > seen { fold.take(event, ledger.queue) }
            self.seen = max(seen, last)
        }
    }

    private let service: LedgerService
    private let state: Mutex<State>

    /// - Parameter seen: the event that it begins after; nil for how all stands at the first look.
    init(_ service: LedgerService, _ fold: Content, after seen: SequenceNumber? = nil) {
        self.service = service
        state = Mutex(State(fold: fold, seen: seen))
    }

    /// The last event that was taken in.
    var seen: SequenceNumber { state.withLock { $0.seen ?? .zero } }

    /// Looks at the fold as it is.
    func now<Value: Sendable>(_ body: (inout Content) -> Value) -> Value { state.withLock { body(&$0.fold) } }

    /// Looks at the fold and the ledger's state once all that has happened is taken in. `body` runs on the ledger's
    /// thread: keep it short.
    func look<Value: Sendable>(
        _ body: @Sendable (inout Content, LedgerState) -> Value
    ) async throws(Problem) -> Value {
        let (seen, last) = (state.withLock { $0.seen }, service.ledger.lastSequence)
        let events = try await service.events(Content.minds, after: seen, through: last)
        return try await service.read { ledger in
            state.withLock { state in
                state.take(events, through: last, ledger)
                return body(&state.fold, ledger)
            }
        }
    }
}

extension LedgerService {
    /// A stretch of events longer than this is not read: the state says more in less time.
    private static var eventsMax: UInt64 { 200_000 }

    /// The events of a stretch that are wanted; nil when it has no beginning, is too long, or a compaction took some of
    /// it away.
    fileprivate func events(
        _ isWanted: (Event) -> Bool, after first: SequenceNumber?, through last: SequenceNumber
    ) async throws(Problem) -> [Recorded]? {
        guard let first, first.rawValue + Self.eventsMax >= last.rawValue else { return nil }
        var batches = ledger.events(after: first).makeAsyncIterator()
        var (events, seen) = ([Recorded](), first)
        do throws(LedgerError) {
            while seen < last, let batch = try await batches.next() {
                events += batch.filter { $0.sequence <= last && isWanted($0.event) }
                seen = batch.last?.sequence ?? last
            }
            // The end of those that are handed out, or of who waits for them.
            guard seen >= last else { throw .closed }
        } catch {
            if case .compacted = error { return nil }
            throw Problem(error)
        }
        return events
    }
}
