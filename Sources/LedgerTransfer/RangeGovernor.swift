/// How many ranges are fetched at once: what the user asked for, or as many as make the whole faster.
///
/// Without a number it starts with one stream and doubles as long as that pays; a stream that already fills the link is
/// left alone. What was learned of an origin holds for its next download: see ``KnownOrigins``. A value: time and rates
/// come in by the door.
package struct RangeGovernor: Hashable, Sendable {
    /// The most streams that are opened without being asked for.
    package static let automaticMax = 8
    /// How much faster the whole must have become for more streams to be kept, once it was looked at for long.
    package static let gainMin = 1.2
    /// How much faster it is when that is plain at once: twice the streams give twice as much where each is slow.
    package static let plainGainMin = 1.5
    /// What is done within this many seconds anyway is not worth another stream, where an origin has one file for us:
    /// of several, what is found out serves the next ones too.
    package static let secondsLeftMin = 3.0
    /// How often it is looked in the time between two checkpoints, a second.
    package static let looksEachInterval = 4
    /// How many looks pass before more streams are found not to pay: connections need time to get up to speed.
    package static let looksBeforeJudging = 8
    /// How many looks pass before a first stream is judged.
    package static let looksBeforeFirst = 2

    /// Whether this is not the first download of its origin.
    package var isNext = false
    /// Whether nobody asked for a number.
    package var isAutomatic: Bool { asked == nil }
    private let asked: Int?
    private var allowed = Int.max
    private var wanted = 1
    private var base: Double?
    private var looks = 0
    private var isSettled = false

    /// A governor for a download that asks for so many ranges; nil lets it find out.
    package init(asked: UInt32?) {
        self.asked = asked.map { Int($0) }
        wanted = self.asked ?? 1
    }

    /// How many streams there should be now, when so many bytes are left, and so many streams lag behind: what those
    /// hold is worth another stream, however little it is.
    package func target(left: UInt64, lagging: Int = 0) -> Int {
        let worth = max(1, Int(clamping: left / RangeBoard.rangeBytesMin))
        return max(1, min(wanted, allowed, worth + lagging))
    }

    /// The origin would not serve one more stream than `running`.
    package mutating func refused(running: Int) {
        allowed = max(1, min(allowed, running))
        isSettled = true
    }

    /// Whether it is not known yet how many there should be.
    package var isLooking: Bool { isAutomatic && !isSettled }

    /// Judges the rate of all streams together since the last look.
    package mutating func look(bytesPerSecond rate: Double, left: UInt64) {
        guard isLooking, rate > 0 else { return }
        looks += 1
        if base == nil, looks < Self.looksBeforeFirst { return }
        if let base, rate < base * Self.plainGainMin, looks < Self.looksBeforeJudging { return }
        if let base, rate < base * Self.gainMin {
            // No faster than with half as many: that many it stays.
            wanted = max(1, wanted / 2)
            isSettled = true
            return
        }
        guard wanted < Self.automaticMax, isNext || Double(left) / rate >= Self.secondsLeftMin else {
            isSettled = wanted >= Self.automaticMax
            return
        }
        (base, looks) = (rate, 0)
        wanted *= 2
    }
}
