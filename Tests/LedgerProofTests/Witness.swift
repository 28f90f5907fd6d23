import LedgerEngine
import LedgerModel
import LedgerTestSupport
import Synchronization

/// Sees what a ledger acknowledges, from its first event on, over any number of lives.
final class Witness: Sendable {
    private struct State {
        var events: [Recorded]
        var lastAnswered = 0
        var breaches: [String] = []
    }

    private let state: Mutex<State>

    /// A witness that saw these events.
    init(_ events: [Recorded] = []) { state = Mutex(State(events: events)) }

    /// All that is acknowledged, in order, from sequence 1 on.
    var events: [Recorded] { state.withLock { $0.events } }

    /// The number of the last event that someone was answered with.
    var lastAnswered: Int { state.withLock { $0.lastAnswered } }

    /// What it saw that must not be.
    var breaches: [String] { state.withLock { $0.breaches } }

    /// A life begins with so many events: those that might have been there beyond them are not, and never were
    /// acknowledged.
    func begin(at sequence: SequenceNumber) {
        state.withLock { $0.events.removeLast(max(0, $0.events.count - Int(sequence.rawValue))) }
    }

    /// Follows a ledger until it is closed.
    func follow(_ ledger: Ledger) async {
        var batches = ledger.events(after: SequenceNumber(UInt64(events.count))).makeAsyncIterator()
        do throws(LedgerError) {
            while let batch = try await batches.next() {
                state.withLock { state in
                    for event in batch {
                        if event.sequence.rawValue != UInt64(state.events.count) + 1 {
                            state.breaches.append("event \(event.sequence) follows \(state.events.count)")
                        }
                        state.events.append(event)
                    }
                }
            }
        } catch {
            // Only who fell behind reads the log, and the disk may be dead by then: the recovered log tells.
        }
    }

    /// Takes what a command was answered: it is acknowledged with that, and what the ledger tells everyone.
    func hear(_ answered: [Recorded]) {
        state.withLock { state in
            for event in answered {
                state.lastAnswered = max(state.lastAnswered, Int(event.sequence.rawValue))
                let place = Int(event.sequence.rawValue) - 1
                guard place < state.events.count else { continue }
                if state.events[place] != event {
                    state.breaches.append("event \(event.sequence) was answered otherwise")
                }
            }
        }
    }
}
