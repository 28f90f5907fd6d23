import Synchronization

/// How many streams the downloads of each origin were worth: the next one begins where the last one left off, so that
/// many files of an origin that is slow for each connection do not find that out one by one.
final class KnownOrigins: Sendable {
    /// How many origins are remembered; beyond it all are forgotten.
    static let originsMax = 1024
    /// How long what was learned holds.
    static let validity = Duration.seconds(600)

    private let known = Mutex<[String: (governor: RangeGovernor, learned: Duration)]>([:])

    /// What was learned of an origin, if that still holds at an uptime, else one that knows nothing yet; who asks after
    /// that is not the first.
    func governor(of origin: String, at now: Duration) -> RangeGovernor {
        known.withLock { known in
            guard let entry = known[origin], now - entry.learned < Self.validity else {
                let fresh = RangeGovernor(asked: nil)
                Self.remember(fresh, of: origin, at: now, in: &known)
                return fresh
            }
            var governor = entry.governor
            governor.isNext = true
            return governor
        }
    }

    /// Remembers how a download of an origin is fetched. What was known already is not known for longer by that.
    func learn(_ governor: RangeGovernor, of origin: String, at now: Duration) {
        known.withLock { known in
            if let entry = known[origin], entry.governor == governor, now - entry.learned < Self.validity { return }
            Self.remember(governor, of: origin, at: now, in: &known)
        }
    }

    private static func remember(
        _ governor: RangeGovernor, of origin: String, at now: Duration,
        in known: inout [String: (governor: RangeGovernor, learned: Duration)]
    ) {
        if known.count >= originsMax, known[origin] == nil { known = [:] }
        known[origin] = (governor, now)
    }
}
