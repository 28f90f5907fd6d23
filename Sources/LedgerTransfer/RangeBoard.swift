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

    private let claims = Mutex<[Claim]>([])
    private let length: UInt64
    private let alignment: UInt64

    /// A board for an entity of `length` bytes; `pieceLength` keeps pieces whole, so that each has one source.
    init(length: UInt64, pieceLength: UInt64? = nil) {
        self.length = length
        alignment = pieceLength.map { max($0, 1) } ?? Self.alignment
    }

    /// How many claims there are.
    var count: Int { claims.withLock { $0.count } }

    /// Adds the claim of a stream that has its answer already.
    func add(_ claim: Claim) { claims.withLock { $0.append(claim) } }

    /// Takes work for a stream from `source`: nil when none is worth a request.
    func take(source: Int, written: ByteRangeSet) -> Claim? {
        claims.withLock { claims in
            guard let range = free(claims, written) ?? share(claims) else { return nil }
            let claim = Claim(from: range.lowerBound, to: range.upperBound, limit: nil, source: source)
            claims.append(claim)
            return claim
        }
    }

    /// A stream is over: what it left undone is free, or goes back to the stream it was taken from.
    func end(_ claim: Claim) {
        claims.withLock { claims in
            claims.removeAll { $0 === claim }
            guard let end = claim.end, claim.position == claim.start, end > claim.start else { return }
            for other in claims where other.extend(over: claim.start..<end) { return }
        }
    }

    /// The rate of all streams together; nil before they were looked at.
    var bytesPerSecond: Double? {
        let paces = claims.withLock { $0.compactMap(\.bytesPerSecond) }
        return paces.isEmpty ? nil : paces.reduce(0, +)
    }

    /// Looks at the pace of every claim.
    func look(after time: Duration) { claims.withLock { $0.forEach { $0.look(after: time) } } }

    /// How many bytes are not there yet.
    func left(of written: ByteRangeSet) -> UInt64 { length - min(length, written.count) }

    /// The first range that is neither written nor claimed. A claim covers what is on its way, from its first byte.
    private func free(_ claims: [Claim], _ written: ByteRangeSet) -> Range<UInt64>? {
        var taken = written
        for claim in claims { taken.insert(claim.start..<(claim.end ?? length)) }
        return taken.gaps(upTo: length).first
    }

    /// A part of the claim that would take longest, cut off from it.
    private func share(_ claims: [Claim]) -> Range<UInt64>? {
        let paces = claims.compactMap(\.bytesPerSecond)
        let usual = paces.max() ?? 1
        let slowest = claims.map { ($0, $0.secondsLeft(usual: usual)) }.max { $0.1 < $1.1 }
        guard let (claim, seconds) = slowest, let end = claim.end else { return nil }
        let position = claim.position
        guard end > position else { return nil }
        let left = end - position
        let own = claim.bytesPerSecond ?? usual
        let share = UInt64(Double(left) * usual / max(usual + own, 1))
        guard share >= Self.rangeBytesMin || seconds > Self.patience && own < usual else { return nil }
        let middle = position + (left - min(share, left))
        // A claim that has all but stood still is given up as a whole.
        let cut = middle / alignment * alignment
        return claim.shorten(to: own < 1 ? position : cut > position ? cut : middle)
    }
}

extension Claim {
    /// How long the rest takes at its own pace, or at the usual one while its own is not known.
    fileprivate func secondsLeft(usual: Double) -> Double {
        let left = Double((end ?? position) - position)
        return left / max(bytesPerSecond ?? usual, 0.001)
    }
}
