import DequeModule
import LedgerModel

/// Hands committed batches to whoever follows the ledger.
///
/// It keeps one short ring of recent events for all followers and a list of who waits; a follower that is further
/// behind than the ring reads the log. So no follower costs memory by being slow, and none can hold up a commit.
final class EventHub: Sendable {
    /// How many recent events are kept in memory; who is further behind reads the log.
    static let recentEventsMax = 8192

    private struct State {
        var recent: Deque<Recorded> = []
        var last: SequenceNumber
        var isClosed = false
        /// Who follows under a name, and up to where.
        var followers: [UInt64: (name: String, seen: SequenceNumber)] = [:]
        var nextFollower: UInt64 = 0
    }

    /// What a follower gets.
    enum Step {
        case events([Recorded])
        /// What comes next is no longer in memory.
        case readLog(through: SequenceNumber)
        case wait
        case closed
    }

    private let state: Watched<State>

    init(last: SequenceNumber) { state = Watched(State(last: last)) }

    /// The last durable event.
    var last: SequenceNumber { state.withLock { $0.last } }

    /// How many events each who follows under a name is behind; of several of one name the one furthest behind.
    var lags: [String: UInt64] {
        state.withLock { state in
            let last = state.last.rawValue
            return Dictionary(
                state.followers.values.map { ($0.name, last - min(last, $0.seen.rawValue)) }, uniquingKeysWith: max)
        }
    }

    /// Lists one who follows, until the place it gets is let go.
    func enroll(_ name: String, after sequence: SequenceNumber) -> Follower {
        state.withLock { state in
            state.nextFollower += 1
            state.followers[state.nextFollower] = (name, sequence)
            return Follower(hub: self, number: state.nextFollower)
        }
    }

    /// The place of one who follows.
    final class Follower: Sendable {
        private let hub: EventHub
        private let number: UInt64

        fileprivate init(hub: EventHub, number: UInt64) {
            self.hub = hub
            self.number = number
        }

        /// Everything up to here was dealt with.
        func advance(to sequence: SequenceNumber) {
            hub.state.withLock { $0.followers[number]?.seen = sequence }
        }

        deinit { hub.state.withLock { _ = $0.followers.removeValue(forKey: number) } }
    }

    /// Hands out a batch that is durable.
    func publish(_ batch: [Recorded]) {
        guard let last = batch.last else { return }
        state.change { state in
            state.recent.append(contentsOf: batch)
            state.recent.removeFirst(max(0, state.recent.count - Self.recentEventsMax))
            state.last = last.sequence
        }
    }

    /// Ends every subscription, once it has taken what was published.
    func close() { state.change { $0.isClosed = true } }

    /// What a follower that has seen everything up to `sequence` gets next: at most `eventsMax` events.
    func step(after sequence: SequenceNumber, eventsMax: Int) -> Step {
        state.withLock { state in
            if sequence >= state.last { return state.isClosed ? .closed : .wait }
            guard let first = state.recent.first, first.sequence <= sequence.next else {
                return .readLog(through: state.last)
            }
            let next = state.recent.dropFirst(Int(sequence.next.rawValue - first.sequence.rawValue))
            return .events(Array(next.prefix(eventsMax)))
        }
    }

    /// Waits until there is more than `sequence`, the hub closes, or the task is cancelled.
    func wait(after sequence: SequenceNumber, isolation: isolated (any Actor)? = #isolation) async {
        await state.wait { $0.last > sequence || $0.isClosed }
    }
}
