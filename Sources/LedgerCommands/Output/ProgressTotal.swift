import LedgerAPI
import LedgerModel

/// The sum over all downloads that someone waits for.
struct ProgressTotal: Hashable, Sendable {
    /// How many there are.
    var downloads = 0
    /// How many of them are in each state.
    var states: [DownloadState: Int] = [:]
    /// How many requests were refused, besides.
    var refused = 0
    /// How many files stand as they were because asking for newer ones failed.
    var unchecked = 0
    /// Bytes received.
    var received: UInt64 = 0
    /// The size of all, where one that is not known yet counts as the mean of those that are; nil when none is.
    var size: UInt64?
    /// Bytes a second of those that run.
    var rate: UInt64 = 0
    /// Bytes that were there when the attempts that run began.
    var resumed: UInt64 = 0

    /// Nothing to wait for.
    init() {}

    /// How many have ended.
    var ended: Int { states.reduce(0) { $0 + ($1.key.isEnd ? $1.value : 0) } }

    /// Whether nothing is waited for any more.
    var isOver: Bool { downloads > 0 && ended == downloads }

    /// How many of them brought their file.
    var completed: Int { states[.completed] ?? 0 }

    /// How many ended without it, though nobody wanted that: failed, or lost afterwards.
    var failed: Int { Self.failures.reduce(0) { $0 + (states[$1] ?? 0) } }

    /// The ends that nobody wanted.
    static let failures: [DownloadState] = [.failed, .missing, .altered]

    /// How long it will take at this rate; nil when nothing moves or no size is known.
    var secondsLeft: UInt64? {
        guard let size, rate > 0 else { return nil }
        let whole = (max(size, received) - received).quotientAndRemainder(dividingBy: rate)
        return whole.remainder > 0 ? whole.quotient.addingClamped(1) : whole.quotient
    }
}
