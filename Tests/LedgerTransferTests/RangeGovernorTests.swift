import LedgerModel
import Testing

@testable import LedgerTransfer

/// How many streams there should be.
@Suite struct RangeGovernorTests {
    static let left: UInt64 = 1 << 30

    @Test func `a number that was asked for is what there is, as far as ranges are worth a request`() {
        let governor = RangeGovernor(asked: 8)
        #expect(governor.target(left: Self.left, at: .zero) == 8)
        #expect(governor.target(left: 3 * RangeBoard.rangeBytesMin, at: .zero) == 3)
        #expect(governor.target(left: 1, at: .zero) == 1)
    }

    @Test func `without a number there are more while that makes it faster`() {
        var governor = RangeGovernor(asked: nil)
        #expect(governor.target(left: Self.left, at: .zero) == 1)
        var targets: [Int] = []
        for rate in [0.5, 1.0, 1.0, 1.2, 2.0, 2.0, 3.0, 9.0] {
            governor.look(bytesPerSecond: rate * 1_000_000, left: Self.left)
            targets.append(governor.target(left: Self.left, at: .zero))
        }
        // Of each number the first look counts nothing; a mean of 1.2, 1.6 and so on is a plain gain at 1.5.
        #expect(targets == [1, 2, 2, 2, 8, 8, 8, 8], "each stream is slow by itself: all are tried at once")
        #expect(!governor.isLooking(at: .zero))
    }

    /// Streams that bring their bytes so many times a second, each out of step with the others: all together as much as
    /// one, or each as much.
    @Test(arguments: [2, 5, 11], [true, false])
    func `bytes that come in bursts are as fast as bursts and pauses together`(bursts: Int, isShared: Bool) {
        var governor = RangeGovernor(asked: nil)
        let looks = RangeGovernor.looksEachInterval
        for look in 0..<20 * looks where governor.isLooking(at: .zero) {
            let streams = governor.target(left: Self.left, at: .zero)
            let arrived = (0..<streams).reduce(0) { sum, stream in
                let place = look + stream * 3
                return sum + (place + 1) * bursts / looks - place * bursts / looks
            }
            let bytes = Double(arrived) * 4_000_000 / Double(bursts) / Double(isShared ? streams : 1)
            governor.look(
                bytesPerSecond: bytes * Double(looks), of: streams, left: Self.left, latency: .zero, at: .zero)
        }
        #expect(!governor.isLooking(at: .zero))
        #expect(governor.target(left: Self.left, at: .zero) == (isShared ? 1 : RangeGovernor.automaticMax))
    }

    @Test func `a gain that is not plain is judged late`() {
        var governor = RangeGovernor(asked: nil)
        for _ in 0..<RangeGovernor.looksBeforeFirst { governor.look(bytesPerSecond: 1_000_000, left: Self.left) }
        for _ in 1..<RangeGovernor.looksBeforeJudging {
            governor.look(bytesPerSecond: 1_300_000, left: Self.left)
            #expect(governor.target(left: Self.left, at: .zero) == 2 && governor.isLooking(at: .zero))
        }
        governor.look(bytesPerSecond: 1_300_000, left: Self.left)
        #expect(governor.target(left: Self.left, at: .zero) == 4)
    }

    @Test func `the next download of an origin goes on from what the last one found out, for a while`() {
        let origins = KnownOrigins()
        var governor = RangeGovernor(asked: nil)
        for _ in 0..<RangeGovernor.looksBeforeFirst { governor.look(bytesPerSecond: 1_000_000, left: Self.left) }
        #expect(governor.target(left: Self.left, at: .zero) == 2)
        origins.learn(&governor, of: "http://a", at: .seconds(5))
        #expect(origins.governor(of: "http://a", at: .seconds(6)).target(left: Self.left, at: .zero) == 2)
        #expect(!origins.governor(of: "http://b", at: .seconds(6)).isNext)
        #expect(origins.governor(of: "http://b", at: .seconds(6)).isNext, "two are under way")
        let later = origins.governor(of: "http://a", at: .seconds(5) + KnownOrigins.validity)
        #expect(later == RangeGovernor(asked: nil), "it holds no longer")
        for number in 0..<KnownOrigins.originsMax { origins.learn(&governor, of: "http://\(number)", at: .seconds(6)) }
        #expect(!origins.governor(of: "http://a", at: .seconds(6)).isNext, "all are forgotten when there are too many")
    }

    @Test func `downloads that run beside each other know what any of them has found out`() {
        let origins = KnownOrigins()
        var (one, other) = (RangeGovernor(asked: nil), RangeGovernor(asked: nil))
        for _ in 0..<RangeGovernor.looksBeforeFirst { one.look(bytesPerSecond: 1_000_000, left: Self.left) }
        origins.learn(&one, of: "http://a", at: .zero)
        origins.learn(&other, of: "http://a", at: .zero)
        #expect(other == one && other.target(left: Self.left, at: .zero) == 2)
        other.refused(running: 1, at: .zero, wait: .zero)
        origins.learn(&other, of: "http://a", at: .zero)
        origins.learn(&one, of: "http://a", at: .zero)
        #expect(one.target(left: Self.left, at: .zero) == 1 && !one.isLooking(at: .zero))
    }

    @Test func `that an origin serves ranges is remembered for a while, whatever else is learned`() {
        let origins = KnownOrigins()
        #expect(!origins.servesRanges("http://a", at: .zero))
        origins.noteRanges(of: "http://a", at: .zero)
        var governor = RangeGovernor(asked: nil)
        governor.refused(running: 1, at: .zero, wait: .zero)
        origins.learn(&governor, of: "http://a", at: .seconds(1))
        #expect(origins.servesRanges("http://a", at: .seconds(2)))
        #expect(!origins.servesRanges("http://a", at: .seconds(1) + KnownOrigins.validity))
    }

    @Test func `a link that one stream fills is left to few`() {
        var governor = RangeGovernor(asked: nil)
        for _ in 0..<RangeGovernor.looksBeforeFirst + RangeGovernor.looksBeforeJudging {
            governor.look(bytesPerSecond: 1_000_000, left: Self.left)
        }
        #expect(governor.target(left: Self.left, at: .zero) == 1)
    }

    @Test func `what is nearly done gets no more`() {
        var governor = RangeGovernor(asked: nil)
        for _ in 0..<20 { governor.look(bytesPerSecond: 1_000_000, left: 2_000_000) }
        #expect(governor.target(left: 2_000_000, at: .zero) == 1)
        governor.isNext = true
        governor.look(bytesPerSecond: 1_000_000, left: 2_000_000)
        #expect(governor.target(left: 2_000_000, at: .zero) == 2, "what is found out serves the next one")
    }

    /// What the second of several files tries after its first looks.
    private func tried(
        isNext: Bool = true, latency: Duration = RangeGovernor.farLatencyMin, left: UInt64 = left
    ) -> RangeGovernor {
        var governor = RangeGovernor(asked: nil)
        governor.isNext = isNext
        for _ in 0..<RangeGovernor.looksBeforeFirst {
            governor.look(bytesPerSecond: 4_000_000, of: 1, left: left, latency: latency, at: .zero)
        }
        return governor
    }

    @Test func `of several files that are far away, the second tries all streams at once`() {
        #expect(tried().target(left: Self.left, at: .zero) == RangeGovernor.automaticMax)
        #expect(tried(latency: RangeGovernor.farLatencyMin - .milliseconds(1)).target(left: Self.left, at: .zero) == 2)
        #expect(tried(isNext: false).target(left: Self.left, at: .zero) == 2, "one alone serves no other")
        #expect(tried(left: 999_999).target(left: Self.left, at: .zero) == 2, "it is over before others have answered")
        #expect(tried(left: 1_000_000).target(left: Self.left, at: .zero) == RangeGovernor.automaticMax)
    }

    @Test(arguments: [(1.1, 1), (1.3, 8), (1.6, 8)]) func `such a trial is judged soon`(_ gain: Double, _ kept: Int) {
        var governor = tried()
        for _ in 0..<RangeGovernor.looksOfTrial {
            #expect(governor.target(left: Self.left, at: .zero) == RangeGovernor.automaticMax)
            governor.look(bytesPerSecond: gain * 4_000_000, left: Self.left)
        }
        #expect(governor.target(left: Self.left, at: .zero) == kept && !governor.isLooking(at: .zero))
    }

    @Test func `while more are refused nothing is said of them, and once they are served it goes on`() {
        var governor = RangeGovernor(asked: nil)
        for _ in 0..<RangeGovernor.looksBeforeFirst { governor.look(bytesPerSecond: 1_000_000, left: Self.left) }
        governor.refused(running: 1, at: .zero, wait: .zero)
        for _ in 0..<100 { governor.look(bytesPerSecond: 1_000_000, left: Self.left) }
        #expect(governor.target(left: Self.left, at: .zero) == 1 && !governor.isLooking(at: .zero))
        let now = StreamCeiling.restMin
        #expect(governor.target(left: Self.left, at: now) == 2 && governor.isLooking(at: now))
        governor.served(2, at: now)
        for _ in 0..<2 { governor.look(bytesPerSecond: 2_000_000, left: Self.left, at: now) }
        #expect(governor.target(left: Self.left, at: now) == 2, "as many as are served")
        #expect(governor.target(left: Self.left, at: now + StreamCeiling.restServed) == 3)
    }

    @Test func `what is refused now is known beside what was found out`() {
        let origins = KnownOrigins()
        var (one, other) = (RangeGovernor(asked: nil), RangeGovernor(asked: nil))
        for rate in [1.0, 1.0, 2.0, 2.0] { one.look(bytesPerSecond: rate * 1_000_000, left: Self.left) }
        #expect(one.target(left: Self.left, at: .zero) == 8)
        other.refused(running: 3, at: .zero, wait: .zero)
        origins.learn(&one, of: "http://a", at: .zero)
        origins.learn(&other, of: "http://a", at: .zero)
        origins.learn(&one, of: "http://a", at: .zero)
        for governor in [one, other] { #expect(governor.target(left: Self.left, at: .zero) == 3) }
        one.served(4, at: StreamCeiling.restMin)
        origins.learn(&one, of: "http://a", at: StreamCeiling.restMin)
        origins.learn(&other, of: "http://a", at: StreamCeiling.restMin)
        #expect(other.target(left: Self.left, at: StreamCeiling.restMin) == 4)
    }

    @Test(arguments: [nil, 8] as [UInt32?]) func `an origin that refuses one more gets no more`(_ asked: UInt32?) {
        var governor = RangeGovernor(asked: asked)
        governor.refused(running: 1, at: .zero, wait: .zero)
        for rate in 1..<20 { governor.look(bytesPerSecond: Double(rate) * 1_000_000, left: Self.left) }
        #expect(governor.target(left: Self.left, at: .zero) == 1)
    }
}

extension RangeGovernor {
    /// A look at what comes from nearby.
    fileprivate mutating func look(bytesPerSecond rate: Double, left: UInt64, at now: Duration = .zero) {
        look(bytesPerSecond: rate, of: .max, left: left, latency: .zero, at: now)
    }
}
