import Synchronization

/// What the downloads of each origin have found out of it: how many streams they were worth, and that it serves ranges.
/// The next one begins where the last one left off, so that many files of an origin that is slow for each connection do
/// not find that out one by one.
final class KnownOrigins: Sendable {
    /// How many origins are remembered; beyond it all are forgotten.
    static let originsMax = 1024
    /// How long what was learned holds.
    static let validity = Duration.seconds(600)

    private let known = Mutex<[String: Known]>([:])
    /// How many downloads are served now by each origin that serves any.
    private let serving = Mutex<[String: Int]>([:])

    private struct Known {
        var governor = RangeGovernor(asked: nil)
        var servesRanges = false
        /// When the last of it was learned.
        var learned: Duration
    }

    /// What was learned of an origin, if that still holds at an uptime, else one that knows nothing yet; who asks after
    /// that is not the first.
    func governor(of origin: String, at now: Duration) -> RangeGovernor {
        known.withLock { known in
            if let entry = Self.find(origin, at: now, in: known) {
                var governor = entry.governor
                governor.isNext = true
                return governor
            }
            let fresh = Known(learned: now)
            Self.remember(fresh, of: origin, in: &known)
            return fresh.governor
        }
    }

    /// Remembers how a download of an origin is fetched, or has it know what another has found out beyond that. What
    /// was known already is not known for longer by that.
    func learn(_ governor: inout RangeGovernor, of origin: String, at now: Duration) {
        known.withLock { known in
            var entry = Self.find(origin, at: now, in: known) ?? Known(learned: now)
            governor.adopt(entry.governor)
            guard governor.knowsMore(than: entry.governor) else { return }
            (entry.governor, entry.learned) = (governor, now)
            Self.remember(entry, of: origin, in: &known)
        }
    }

    /// Whether an origin is known to serve ranges.
    func servesRanges(_ origin: String, at now: Duration) -> Bool {
        known.withLock { known in Self.find(origin, at: now, in: known)?.servesRanges ?? false }
    }

    /// Remembers that an origin serves ranges.
    func noteRanges(of origin: String, at now: Duration) {
        known.withLock { known in
            var entry = Self.find(origin, at: now, in: known) ?? Known(learned: now)
            guard !entry.servesRanges else { return }
            entry.servesRanges = true
            Self.remember(entry, of: origin, in: &known)
        }
    }

    /// A download is served by an origin from now on.
    func begin(_ origin: String) { serving.withLock { $0[origin, default: 0] += 1 } }

    /// A download is served by an origin no longer.
    func end(_ origin: String) {
        serving.withLock { serving in serving[origin] = serving[origin].flatMap { $0 > 1 ? $0 - 1 : nil } }
    }

    /// How many downloads are served by an origin now.
    func served(by origin: String) -> Int { serving.withLock { $0[origin] ?? 0 } }

    private static func find(_ origin: String, at now: Duration, in known: [String: Known]) -> Known? {
        guard let entry = known[origin], now - entry.learned < validity else { return nil }
        return entry
    }

    private static func remember(_ entry: Known, of origin: String, in known: inout [String: Known]) {
        if known.count >= originsMax, known[origin] == nil { known = [:] }
        known[origin] = entry
    }
}
