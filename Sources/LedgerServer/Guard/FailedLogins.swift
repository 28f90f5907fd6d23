import Synchronization

/// Counts failed logins by address, and says when there were too many. The same secret again is no other guess: a
/// client that goes on with a secret which was changed, once a second, turns nobody at its address away.
final class FailedLogins: Sendable {
    /// How many may fail within ``windowSeconds`` before that address is turned away.
    static let failuresMax = 10
    /// How long failures count, in seconds.
    static let windowSeconds: Int64 = 60
    /// How many addresses are remembered; beyond it the oldest are forgotten.
    static let addressesMax = 1024

    private struct Tally {
        /// Hashes of what was tried, of this process's own key.
        var guesses: Set<Int>
        /// By the uptime: a clock that is set turns nobody away for longer.
        let until: Duration
    }

    private let tallies = Mutex<[String: Tally]>([:])

    /// How many addresses are remembered now.
    var count: Int { tallies.withLock { $0.count } }

    /// In how many seconds an address may try again; nil when it may now.
    func waitSeconds(of address: String, at now: Duration) -> Int64? {
        tallies.withLock { tallies in
            guard let tally = tallies[address], tally.until > now, tally.guesses.count >= Self.failuresMax else {
                return nil
            }
            return max(1, Int64(((tally.until - now) / .seconds(1)).rounded(.up)))
        }
    }

    /// Counts a secret that opened nothing.
    func note(_ secret: String, from address: String, at now: Duration) {
        let guess = secret.hashValue
        tallies.withLock { tallies in
            if let tally = tallies[address], tally.until > now {
                if tally.guesses.count < Self.failuresMax { tallies[address]?.guesses.insert(guess) }
                return
            }
            if tallies.count >= Self.addressesMax {
                tallies = tallies.filter { $0.value.until > now }
                if tallies.count >= Self.addressesMax, let oldest = tallies.min(by: { $0.value.until < $1.value.until })
                {
                    tallies[oldest.key] = nil
                }
            }
            tallies[address] = Tally(guesses: [guess], until: now + .seconds(Self.windowSeconds))
        }
    }
}
