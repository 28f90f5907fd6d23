import LedgerModel
import LedgerTestSupport

/// How much happens in a log that is made, and when.
struct LogScale: Hashable, Sendable {
    /// The most events of one log; a limit against a slip of the hand.
    static let eventsMax = 1_000_000_000
    /// The longest time that a log goes over, a century.
    static let daysMax = 36_525
    /// The instant at which every log ends: 2026-06-30T00:00:00Z.
    static let end = Timestamp(milliseconds: 1_782_777_600_000)
    /// How much of the log has passed when the last download is enqueued; the rest of it finds a queue to work off.
    static let arrivalShare = 0.97
    /// The program runs twice a day, and for the rest of the day it does not.
    static let sessionsPerDay = 2

    /// How many events there are in the end.
    let events: Int
    /// How many downloads there are in the end.
    let downloads: Int
    /// What chance begins with.
    let seed: UInt64
    /// Over how many days.
    let days: Int

    /// How many events a download has on average.
    var eventsPerDownload: Double { Double(events) / Double(downloads) }

    /// How many downloads should be there once `recorded` events are.
    func downloadsDue(after recorded: Int) -> Int {
        let share = Double(recorded) / (Double(events) * Self.arrivalShare)
        return min(downloads, 1 + Int(Double(downloads) * share))
    }

    /// When the session began in which the event after `recorded` others happens.
    func sessionStart(after recorded: Int) -> Timestamp {
        let sessions = days * Self.sessionsPerDay
        let session = Int(Double(recorded) / Double(events) * Double(sessions))
        let rest = Duration.seconds(86_400 / Self.sessionsPerDay) * (sessions - session)
        return Self.end.advanced(by: .zero - rest)
    }

    /// A generator for one thing of the log, the same for the same thing whenever it is asked for.
    func chance(_ purpose: Purpose, _ number: UInt64) -> SplitMix64 {
        var mixer = SplitMix64(seed: seed)
        let base = mixer.next() ^ purpose.rawValue
        mixer = SplitMix64(seed: base &+ number &* 0xD134_2543_DE82_EF95)
        return SplitMix64(seed: mixer.next())
    }

    /// What a generator is for.
    enum Purpose: UInt64, Sendable {
        case orders = 1
        case lives = 2
        case people = 3
        case log = 4
    }
}
