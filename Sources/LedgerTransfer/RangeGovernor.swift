/// How many ranges are fetched at once: what the user asked for, or as many as make the whole faster.
///
/// Without a number it starts with one stream and doubles as long as that pays; where twice the streams give plainly
/// more, each is slow by itself, and all that there may be are tried at once. So they are where several files are far
/// away, on trial. A stream that already fills the link is left alone. What was learned of an origin holds for its next
/// download: see ``KnownOrigins``. A value: time and rates come in by the door.
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
    package static let looksEachInterval = 16
    /// How many looks pass before more streams are found not to pay: connections need time to get up to speed.
    package static let looksBeforeJudging = 32
    /// How many looks pass before a first stream is judged.
    package static let looksBeforeFirst = 2
    /// An origin whose first answer takes this long, connecting and all, is far away: step by step one file would be
    /// over before it is known how many streams it is worth. Where others of the origin follow, all are tried at once.
    package static let farLatencyMin = Duration.milliseconds(50)
    /// Such a trial is judged after so many looks, for it is of many streams beside one.
    package static let looksOfTrial = 8
    /// What is done within this many seconds anyway is over before more streams have answered.
    package static let secondsLeftOfTrialMin = 0.25

    /// Whether this is not the first download of its origin.
    package var isNext = false
    /// Whether nobody asked for a number.
    package var isAutomatic: Bool { asked == nil }
    private let asked: Int?
    private var ceiling = StreamCeiling()
    private var wanted = 1
    /// How many streams there were before, and how fast they were together.
    private var base: Base?
    /// The looks since there are as many as now, and the rates of all but the first, in which streams began.
    private var looks = 0
    private var rates = 0.0
    /// The looks since the last in which bytes came.
    private var silence = 0
    private var isSettled = false
    /// Whether all streams are tried at once.
    private var isTrial = false

    private struct Base: Hashable {
        var streams: Int
        var bytesPerSecond: Double
    }

    /// A governor for a download that asks for so many ranges; nil lets it find out.
    package init(asked: UInt32?) {
        self.asked = asked.map { Int($0) }
        wanted = self.asked ?? 1
    }

    /// How many streams there should be now, when so many bytes are left, and so many streams lag behind: what those
    /// hold is worth another stream, however little it is.
    package func target(left: UInt64, lagging: Int = 0, at now: Duration) -> Int {
        let worth = max(1, Int(clamping: left / RangeBoard.rangeBytesMin))
        return max(1, min(wanted, ceiling.streamsMax(at: now), worth + lagging))
    }

    /// The origin would not serve one more stream than `running`.
    /// - Parameter wait: how long it asked to be left alone.
    package mutating func refused(running: Int, at now: Duration, wait: Duration) {
        ceiling.refused(running: max(1, running), at: now, wait: wait)
    }

    /// The origin serves one more stream, which makes so many.
    package mutating func served(_ running: Int, at now: Duration) { ceiling.served(running, at: now) }

    /// Takes over what another download of the same origin has found out, where that is more than this one knows.
    package mutating func adopt(_ other: RangeGovernor) {
        if other.ceiling.isNewer(than: ceiling) { ceiling = other.ceiling }
        guard other.isFurther(than: self) else { return }
        let (isNext, ceiling) = (isNext, ceiling)
        self = other
        (self.isNext, self.ceiling) = (isNext, ceiling)
    }

    /// Whether it has found out what another one of the same origin does not know.
    package func knowsMore(than other: RangeGovernor) -> Bool {
        ceiling.isNewer(than: other.ceiling) || isFurther(than: other)
    }

    /// Whether it has gone further: to an end, or to more streams.
    private func isFurther(than other: RangeGovernor) -> Bool {
        isSettled != other.isSettled ? isSettled : !isSettled && wanted > other.wanted
    }

    /// Whether it is not known yet how many there should be, and can be found out: while the origin refuses as many as
    /// are to be tried, nothing can be said of them.
    package func isLooking(at now: Duration) -> Bool {
        isAutomatic && !isSettled && ceiling.streamsMax(at: now) >= wanted
    }

    /// Judges the rate of all streams together since the last look.
    /// - Parameters:
    ///   - streams: how many there are. While they are fewer than wanted, for this file is served to no more, nothing
    ///     can be said of more.
    ///   - latency: how long the first answer took to begin.
    package mutating func look(
        bytesPerSecond rate: Double, of streams: Int, left: UInt64, latency: Duration, at now: Duration
    ) {
        guard isLooking(at: now), streams >= wanted else { return }
        guard rate > 0 else {
            silence += 1
            return
        }
        // Bytes that come in bursts are as fast as bursts and pauses together. Where nothing comes for longer, streams
        // begin or stand still, which tells nothing of how fast they are.
        let pause = silence <= Self.looksEachInterval ? silence : 0
        (looks, silence) = (looks + 1, 0)
        guard looks > 1 else { return }
        looks += pause
        rates += rate
        // Of all looks, for one alone may tell no more than how bytes come in bursts.
        let rate = rates / Double(looks - 1)
        if base == nil, looks < Self.looksBeforeFirst { return }
        let gain = base.map { rate / $0.bytesPerSecond }
        let patience = isTrial ? Self.looksOfTrial : Self.looksBeforeJudging
        if let gain, gain < Self.plainGainMin, looks < patience { return }
        if let base, let gain, gain < Self.gainMin {
            // No faster than with fewer: as many it stays.
            wanted = base.streams
            isSettled = true
            return
        }
        let secondsLeft = Double(left) / rate
        guard wanted < Self.automaticMax, isNext || secondsLeft >= Self.secondsLeftMin else {
            isSettled = wanted >= Self.automaticMax
            return
        }
        base = Base(streams: wanted, bytesPerSecond: rate)
        isTrial = isNext && latency >= Self.farLatencyMin && secondsLeft >= Self.secondsLeftOfTrialMin
        wanted = isTrial || (gain ?? 0) >= Self.plainGainMin ? Self.automaticMax : wanted * 2
        (looks, rates) = (0, 0)
    }
}
