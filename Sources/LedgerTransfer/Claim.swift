import LedgerModel
import Synchronization

/// The stretch of an entity that one stream fetches, from a first byte up to an end that others may bring nearer.
///
/// Bytes are reserved before they are written, so that two streams never write the same byte, whoever shortens a claim
/// meanwhile. Usable from any thread.
package final class Claim: Sendable {
    /// How many looks in a row without a byte mean that it stands still, about a second each.
    static let idleLooksMax = 3
    /// The same before the answer has begun: origins think before they speak.
    static let silentLooksMax = 8

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
        /// When its answer began.
        var answered: Duration?
        var stop: (@Sendable () -> Void)?
        /// Takes over what follows, if nobody was answered for it yet; whether there was anything.
        var goOn: (@Sendable () -> Bool)?
        var isGivenUp = false
        var pace = Pace()
    }

    /// How fast bytes came, seen now and then.
    private struct Pace {
        var mark: UInt64?
        var bytesPerSecond: Double?
        /// Looks in a row without a byte.
        var idleLooks = 0
    }

    /// A claim to the bytes from `start` up to `end`, out of an answer that holds no more than up to `limit`.
    package init(from start: UInt64, to end: UInt64?, limit: UInt64?, source: Int) {
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

    /// Whether nothing came for so long that others had better take it over.
    var standsStill: Bool {
        state.withLock { state in
            state.pace.idleLooks >= (state.limit == nil ? Self.silentLooksMax : Self.idleLooksMax)
        }
    }

    /// Takes the next `count` bytes of the answer, and returns how many of them belong here.
    func reserve(_ count: Int) -> (offset: UInt64, count: Int) {
        var (offset, kept) = take(count)
        while kept < count, let goOn = state.withLock({ $0.goOn }), goOn() { kept += take(count - kept).count }
        return (offset, kept)
    }

    private func take(_ count: Int) -> (offset: UInt64, count: Int) {
        state.withLock { state in
            let offset = state.position
            let room = state.end.map { $0 - offset } ?? .max
            let kept = min(UInt64(count), room)
            state.position += kept
            return (offset, Int(kept))
        }
    }

    /// Says what gives the stream more when it comes to its end; called on the thread where its bytes arrive.
    func whenAtEnd(_ goOn: @escaping @Sendable () -> Bool) { state.withLock { $0.goOn = goOn } }

    /// Whether its answer holds more than belongs to it now.
    var holdsMore: Bool { state.withLock { state in state.limit.map { $0 > state.end ?? .max } ?? false } }

    /// Gives up everything, unless it was answered.
    /// - Returns: what was given up; nil when that was nothing.
    func yieldUnanswered() -> Range<UInt64>? {
        guard state.withLock({ $0.limit == nil }) else { return nil }
        return shorten(to: 0)
    }

    /// Says what ends the stream when nothing is left for it; at once when that is so already.
    func whenTaken(_ stop: @escaping @Sendable () -> Void) {
        let isTaken = state.withLock { state in
            state.stop = stop
            return state.isGivenUp
        }
        if isTaken { stop() }
    }

    /// Bytes a second when it was last looked at, else since its answer began; nil before its first byte.
    func bytesPerSecond(at now: Duration) -> Double? {
        state.withLock { state in
            guard let answered = state.answered, state.position > start else { return nil }
            return state.pace.bytesPerSecond
                ?? Double(state.position - start) / max((now - answered) / .seconds(1), 0.001)
        }
    }

    /// The answer began, and holds less, or more, than was asked for.
    func answered(upTo limit: UInt64, at now: Duration) {
        state.withLock { state in
            state.limit = limit
            state.answered = now
            state.end = min(state.end ?? limit, limit)
        }
    }

    /// Whether others took all that was left of it, because it stood still.
    var isGivenUp: Bool { state.withLock { $0.isGivenUp } }

    /// Gives up all that is left.
    /// - Returns: what was given up; nil when that was nothing.
    func giveUp() -> Range<UInt64>? {
        state.withLock { $0.isGivenUp = true }
        return shorten(to: 0)
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

    /// Goes on over the start of a range that nobody fetches, as far as its answer holds it; whether it does. A stream
    /// without an answer does not, nor one at its end, which may be over, unless it `asks` for it there.
    func extend(over range: Range<UInt64>, asks: Bool = false) -> Bool {
        state.withLock { state in
            guard state.end == range.lowerBound, asks || state.position < range.lowerBound, let limit = state.limit,
                limit > range.lowerBound
            else { return false }
            state.end = min(range.upperBound, limit)
            return true
        }
    }

    /// Looks at how far it has come since the last look, `time` ago.
    func look(after time: Duration) {
        state.withLock { state in
            defer { state.pace.mark = state.position }
            guard let mark = state.pace.mark, time > .zero else { return }
            state.pace.idleLooks = state.position == mark ? state.pace.idleLooks + 1 : 0
            guard state.position > mark || state.limit != nil else { return }
            state.pace.bytesPerSecond = Double(state.position - mark) / (time / .seconds(1))
        }
    }
}
