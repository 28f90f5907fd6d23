import LedgerModel
import Synchronization

/// Who fetches which bytes of one entity: the claims of the streams that run beside each other.
///
/// A stream without work takes what nobody claims; when there is no such range, it takes a part of the claim that would
/// take longest. What a stream leaves undone is free for the others.
final class RangeBoard: Sendable {
    /// The least that is worth a request of its own, in bytes.
    static let rangeBytesMin: UInt64 = 256 << 10
    /// A claim that would take longer than this is shared, however short it is.
    static let patience = 4.0
    /// Where claims meet is a multiple of this, in bytes.
    static let alignment: UInt64 = 64 << 10

    /// How often claims that stand still are taken over, in a row without a byte from anyone: an origin that serves
    /// nobody is not asked for ever.
    static let rescuesMax = 3
    /// A source whose fastest stream gives less than this part of what another's gives is slow.
    static let slowPart = 0.1
    /// How many looks in a row a source may be slow, about a second each, before others go on without it.
    static let slowLooksMax = 5

    private let state: Mutex<State>
    private let length: UInt64
    private let alignment: UInt64

    private struct State {
        var claims: [Claim] = []
        /// What was written when that was last told; what came since then is claimed.
        var written = ByteRangeSet()
        /// The best pace that was seen, in bytes a second.
        var usual = 0.0
        var rescues = 0
        /// The shortest time between a request and its answer that was seen.
        var latency: Duration?
        /// How each source did.
        var paces: [Int: SourcePace] = [:]
        /// The pieces that came wrong: one that two sources gave is nobody's fault.
        var suspects: Set<Int>
    }

    /// How fast a source is.
    private struct SourcePace {
        /// By its fastest stream when it was last seen, in bytes a second.
        var bytesPerSecond = 0.0
        /// Looks in a row at which another was much faster.
        var slowLooks = 0
    }

    /// A board for an entity of `length` bytes; `pieceLength` keeps pieces whole, so that each has one source, all but
    /// the last ones, which others may end sooner, unless they are `suspects`.
    init(length: UInt64, pieceLength: UInt64? = nil, suspects: Set<Int> = []) {
        self.length = length
        state = Mutex(State(suspects: suspects))
        alignment = pieceLength ?? Self.alignment
    }

    /// How many claims there are.
    var count: Int { state.withLock { $0.claims.count } }

    /// The claims of the streams that run.
    var all: [Claim] { state.withLock { $0.claims } }

    /// Adds the claim of a stream that has its answer already.
    func add(_ claim: Claim) {
        state.withLock { $0.claims.append(claim) }
        claim.whenAtEnd { [weak self, weak claim] in claim.map { self?.goOn($0) ?? false } ?? false }
    }

    /// A stream whose answer holds more has come to the end that was set to it: it goes on over what comes next, as
    /// long as nobody was answered for that. Who was taken on to fetch it may be refused, or was, and where an origin
    /// gives no range what is cut off from its one answer is not to be had again.
    private func goOn(_ claim: Claim) -> Bool {
        state.withLock { state in
            guard claim.holdsMore else { return false }
            let next = state.claims.first { $0 !== claim && $0.start == claim.end }
            let given =
                next.map { $0.yieldUnanswered() }
                ?? gaps(state.claims, state.written).first { $0.lowerBound == claim.end }
            return given.map { claim.extend(over: $0, asks: true) } ?? false
        }
    }

    /// Takes work for a stream from `source`, one of so many that begin now: nil when none is worth a request.
    func take(source: Int, written: ByteRangeSet, among streams: Int = 1, at now: Duration) -> Claim? {
        state.withLock { state in
            state.written = written
            let gap = gaps(state.claims, written).first.map { part(of: $0, among: streams) }
            guard let range = gap ?? share(&state, with: source, now) else { return nil }
            let claim = Claim(from: range.lowerBound, to: range.upperBound, limit: nil, source: source)
            state.claims.append(claim)
            return claim
        }
    }

    /// A piece came wrong: one source is to give all of it, so that it is known which.
    func suspect(_ piece: Int) { state.withLock { _ = $0.suspects.insert(piece) } }

    /// The answer to a request came so long after it.
    func answered(after latency: Duration) {
        state.withLock { $0.latency = min($0.latency ?? latency, latency) }
    }

    /// A stream is over: what it left undone is free, or goes to the stream that comes to it anyway.
    func end(_ claim: Claim, written: ByteRangeSet) {
        state.withLock { state in
            state.claims.removeAll { $0 === claim }
            state.written = written
            if claim.position > claim.start { state.rescues = 0 }
            for gap in gaps(state.claims, written) {
                for other in state.claims where other.extend(over: gap) { break }
            }
        }
    }

    /// Looks at the pace of every claim.
    func look(after time: Duration) {
        state.withLock { state in
            for claim in state.claims { claim.look(after: time) }
            let best = state.claims.compactMap(\.bytesPerSecond).max() ?? 0
            if best > 0 { state.rescues = 0 }
            state.usual = max(state.usual, best)
            compareSources(&state)
        }
    }

    /// The sources that were slow for long, beside others that were much faster, and why they are left.
    var slow: [(source: Int, failure: Failure)] {
        state.withLock { state in
            let best = state.paces.values.map(\.bytesPerSecond).max() ?? 0
            return state.paces.filter { $0.value.slowLooks >= Self.slowLooksMax }.sorted { $0.key < $1.key }.map {
                let words = "it gave \(Int($1.bytesPerSecond)) bytes a second where another source gave \(Int(best))"
                return ($0, Failure(.lowSpeed, words, isRetryable: true))
            }
        }
    }

    /// A source is asked no more, and none is compared with it.
    func forget(_ source: Int) { state.withLock { $0.paces[source] = nil } }

    /// One whose streams have no pace yet is judged later.
    private func compareSources(_ state: inout State) {
        var seen: [Int: Double] = [:]
        for claim in state.claims {
            guard let pace = claim.bytesPerSecond else { continue }
            seen[claim.source] = max(seen[claim.source] ?? 0, pace)
        }
        for (source, pace) in seen { state.paces[source, default: SourcePace()].bytesPerSecond = pace }
        let best = state.paces.values.map(\.bytesPerSecond).max() ?? 0
        for (source, pace) in seen {
            let slowLooks = state.paces[source]?.slowLooks ?? 0
            state.paces[source]?.slowLooks = pace < best * Self.slowPart ? slowLooks + 1 : 0
        }
    }

    /// How many claims are shared however short they are.
    var lagging: Int {
        state.withLock { state in state.claims.count { $0.standsStill || $0.lags(behind: state.usual) } }
    }

    /// Whether a stream stands still, and all that is left is claimed: another had better come in its place.
    func hasOnlyStanding(written: ByteRangeSet) -> Bool {
        state.withLock { state in
            state.claims.contains { $0.standsStill && !$0.isGivenUp } && gaps(state.claims, written).isEmpty
        }
    }

    /// How many bytes are not there yet.
    func left(of written: ByteRangeSet) -> UInt64 { length - min(length, written.count) }

    /// The ranges that are neither written nor claimed. A claim covers what is on its way, from its first byte.
    private func gaps(_ claims: [Claim], _ written: ByteRangeSet) -> [Range<UInt64>] {
        var taken = written
        for claim in claims { taken.insert(claim.start..<(claim.end ?? length)) }
        return taken.gaps(upTo: length)
    }

    /// The first of so many parts of a range that nobody fetches, none of them too short for a request.
    private func part(of gap: Range<UInt64>, among streams: Int) -> Range<UInt64> {
        let share = max(UInt64(gap.count) / UInt64(streams), Self.rangeBytesMin)
        let cut = (gap.lowerBound + share + alignment - 1) / alignment * alignment
        return gap.lowerBound..<min(cut, gap.upperBound)
    }

    /// A part of the claim that would take longest, cut off from it for a stream from `source`.
    private func share(_ state: inout State, with source: Int, _ now: Duration) -> Range<UInt64>? {
        let usual = state.usual
        let claims = state.claims.filter { !$0.isGivenUp }
        let waits = claims.map { ($0, $0.standsStill ? .infinity : $0.secondsLeft(usual: usual)) }
        guard let claim = waits.max(by: { $0.1 < $1.1 })?.0, let end = claim.end else { return nil }
        let position = claim.position
        guard end > position else { return nil }
        let left = end - position
        if claim.standsStill {
            // All of it is given up.
            guard state.rescues < Self.rescuesMax else { return nil }
            state.rescues += 1
            return claim.giveUp()
        }
        let own = claim.bytesPerSecond ?? usual
        let share = usual + own > 0 ? UInt64(Double(left) * usual / (usual + own)) : left / 2
        guard share >= Self.rangeBytesMin || claim.lags(behind: usual) else { return nil }
        // What is taken over begins an answer later, and the connection it is taken from has to be closed.
        if let pace = claim.bytesPerSecond(at: now), let latency = state.latency,
            Double(left) / 2 < pace * (latency / .seconds(1))
        {
            return nil
        }
        let middle = position + (left - min(share, left))
        let cut = middle / alignment * alignment
        if cut > position { return claim.shorten(to: cut) }
        guard claim.source == source || !state.suspects.contains(Int(position / alignment)) else { return nil }
        return claim.shorten(to: middle)
    }
}

extension Claim {
    /// How long the rest takes at its own pace, or at the usual one while its own is not known.
    fileprivate func secondsLeft(usual: Double) -> Double {
        let left = Double((end ?? position) - position)
        return left / max(bytesPerSecond ?? usual, 0.001)
    }

    /// Whether the rest takes long at its own pace, and others have been faster.
    fileprivate func lags(behind usual: Double) -> Bool {
        guard let own = bytesPerSecond, own < usual else { return false }
        return secondsLeft(usual: usual) > RangeBoard.patience
    }
}
