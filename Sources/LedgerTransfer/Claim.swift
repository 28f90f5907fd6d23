import LedgerModel
import Synchronization

/// The stretch of an entity that one stream fetches, from a first byte up to an end that others may bring nearer.
///
/// Bytes are reserved before they are written, so that two streams never write the same byte, whoever shortens a claim
/// meanwhile. Usable from any thread.
final class Claim: Sendable {
    /// Its first byte.
    let start: UInt64
    /// Which source the bytes come from.
    let source: Int
    private let state: Mutex<State>

    private struct State {
        var position: UInt64
        /// One past the last byte that belongs here; nil when only the body's end tells.
        var end: UInt64?
        /// One past the last byte that the answer holds; a claim is never extended past it.
        var limit: UInt64?
        var stop: (@Sendable () -> Void)?
        var pace = Pace()
    }

    /// How fast bytes came, seen now and then.
    private struct Pace {
        var mark: UInt64?
        var bytesPerSecond: Double?
    }

    /// A claim to the bytes from `start` up to `end`, out of an answer that holds no more than up to `limit`.
    init(from start: UInt64, to end: UInt64?, limit: UInt64?, source: Int) {
        self.start = start
        self.source = source
        state = Mutex(State(position: start, end: end, limit: limit))
    }

    /// One past the last byte that is written or about to be.
    var position: UInt64 { state.withLock { $0.position } }

    /// One past the last byte that belongs here; nil when only the body's end tells.
    var end: UInt64? { state.withLock { $0.end } }

    /// Whether every byte of it has come.
    var isFull: Bool { state.withLock { $0.position == $0.end } }

    /// Bytes a second when it was last looked at; nil before that.
    var bytesPerSecond: Double? { state.withLock { $0.pace.bytesPerSecond } }

    /// Takes the next `count` bytes of the answer, and returns how many of them belong here.
    func reserve(_ count: Int) -> (offset: UInt64, count: Int) {
        state.withLock { state in
            let offset = state.position
            let room = state.end.map { $0 - offset } ?? .max
            let kept = min(UInt64(count), room)
            state.position += kept
            return (offset, Int(kept))
        }
    }

    /// Says what ends the stream when nothing is left for it.
    func whenTaken(_ stop: @escaping @Sendable () -> Void) { state.withLock { $0.stop = stop } }

    /// The answer holds less, or more, than was asked for.
    func answered(upTo limit: UInt64) {
        state.withLock { state in
            state.limit = limit
            state.end = min(state.end ?? limit, limit)
        }
    }

    /// Gives up everything from `cut` on; nothing when that has come already or is reserved.
    /// - Returns: what was given up.
    func shorten(to cut: UInt64) -> Range<UInt64>? {
        let (given, stop) = state.withLock { state -> (Range<UInt64>?, (@Sendable () -> Void)?) in
            let from = max(cut, state.position)
            guard let end = state.end, from < end else { return (nil, nil) }
            state.end = from
            return (from..<end, from == state.position ? state.stop : nil)
        }
        stop?()
        return given
    }

    /// Takes back what was given up last, when its answer still holds it and the stream is not over.
    func extend(over range: Range<UInt64>) -> Bool {
        state.withLock { state in
            guard state.end == range.lowerBound, state.position < range.lowerBound,
                state.limit.map({ range.upperBound <= $0 }) ?? true
            else { return false }
            state.end = range.upperBound
            return true
        }
    }

    /// Looks at how far it has come since the last look, `time` ago.
    func look(after time: Duration) {
        state.withLock { state in
            defer { state.pace.mark = state.position }
            guard let mark = state.pace.mark, time > .zero else { return }
            state.pace.bytesPerSecond = Double(state.position - mark) / (time / .seconds(1))
        }
    }
}
