import LedgerModel
import Synchronization
import Testing

@testable import LedgerTransfer

/// Who fetches which bytes.
@Suite struct RangeBoardTests {
    static let mebibyte: UInt64 = 1 << 20

    @Test func `a stream without work takes the second half of the longest claim`() {
        let board = RangeBoard(length: 8 * Self.mebibyte)
        let lead = Claim(from: 0, to: 8 * Self.mebibyte, limit: 8 * Self.mebibyte, source: 0)
        board.add(lead)
        let second = board.take(source: 0, written: ByteRangeSet(), at: .zero)
        #expect(second?.start == 4 * Self.mebibyte)
        #expect(second?.end == 8 * Self.mebibyte)
        #expect(lead.end == 4 * Self.mebibyte)
        let third = board.take(source: 0, written: ByteRangeSet(), at: .zero)
        #expect([2 * Self.mebibyte, 6 * Self.mebibyte].contains(third?.start))
        #expect(board.count == 3)
    }

    @Test func `what nobody claims goes first`() {
        let board = RangeBoard(length: 8 * Self.mebibyte)
        board.add(Claim(from: 0, to: Self.mebibyte, limit: Self.mebibyte, source: 0))
        let held = ByteRangeSet(2 * Self.mebibyte..<3 * Self.mebibyte)
        let taken = board.take(source: 0, written: held, at: .zero)
        #expect(taken.map { $0.start..<($0.end ?? 0) } == Self.mebibyte..<2 * Self.mebibyte)
        let other = board.take(source: 0, written: held, at: .zero)
        #expect(other.map { $0.start..<($0.end ?? 0) } == 3 * Self.mebibyte..<8 * Self.mebibyte)
    }

    @Test func `what nobody claims is shared among the streams that begin together`() {
        let board = RangeBoard(length: 9 * Self.mebibyte)
        board.add(Claim(from: 0, to: 3 * Self.mebibyte, limit: 3 * Self.mebibyte, source: 0))
        let starts = [3, 2, 1].map { board.take(source: 0, written: ByteRangeSet(), among: $0, at: .zero)?.start }
        #expect(starts == [3, 5, 7].map { $0 * Self.mebibyte })
        let short = RangeBoard(length: RangeBoard.rangeBytesMin + 1)
        #expect(short.take(source: 0, written: ByteRangeSet(), among: 8, at: .zero)?.end == RangeBoard.rangeBytesMin)
        let rest = short.take(source: 0, written: ByteRangeSet(), among: 7, at: .zero)
        #expect(rest?.end == RangeBoard.rangeBytesMin + 1)
    }

    @Test func `what is over before another answer could begin is left alone`() {
        let board = RangeBoard(length: 8 * Self.mebibyte)
        let lead = Claim(from: 0, to: 8 * Self.mebibyte, limit: 8 * Self.mebibyte, source: 0)
        board.add(lead)
        lead.answered(upTo: 8 * Self.mebibyte, at: .zero)
        board.answered(after: .milliseconds(500))
        board.answered(after: .milliseconds(900))
        // 4 MiB a second: the rest takes another second.
        _ = lead.reserve(4 << 20)
        #expect(board.take(source: 0, written: ByteRangeSet(), at: .milliseconds(999)) == nil)
        #expect(lead.end == 8 * Self.mebibyte)
        #expect(board.take(source: 0, written: ByteRangeSet(), at: .milliseconds(1001)) != nil)
    }

    @Test func `a range that was refused goes back to the stream it was taken from`() throws {
        let board = RangeBoard(length: 8 * Self.mebibyte)
        let lead = Claim(from: 0, to: 8 * Self.mebibyte, limit: 8 * Self.mebibyte, source: 0)
        board.add(lead)
        let other = try #require(board.take(source: 0, written: ByteRangeSet(), at: .zero))
        let third = try #require(board.take(source: 0, written: ByteRangeSet(), at: .zero))
        board.end(other, written: ByteRangeSet())
        board.end(third, written: ByteRangeSet())
        #expect(lead.end == 8 * Self.mebibyte)
        #expect(board.count == 1)
    }

    /// A board where a stream that was answered with everything is cut short for a second one.
    private func cut(_ length: UInt64) throws -> (board: RangeBoard, lead: Claim, second: Claim) {
        let board = RangeBoard(length: length)
        let lead = Claim(from: 0, to: length, limit: length, source: 0)
        board.add(lead)
        lead.answered(upTo: length, at: .zero)
        return (board, lead, try #require(board.take(source: 0, written: ByteRangeSet(), at: .zero)))
    }

    @Test func `at its end a stream goes on over what nobody was answered for`() throws {
        let length = 8 * Self.mebibyte
        let (board, lead, second) = try cut(length)
        let stopped = Mutex(false)
        second.whenTaken { stopped.withLock { $0 = true } }
        #expect(lead.reserve(Int(5 * Self.mebibyte)) == (0, Int(5 * Self.mebibyte)))
        #expect(stopped.withLock(\.self) && second.isFull && lead.end == length)
        // One that was answered keeps what it has.
        let third = try #require(board.take(source: 0, written: ByteRangeSet(), at: .seconds(1)))
        third.answered(upTo: length, at: .seconds(1))
        #expect(UInt64(lead.reserve(Int(length)).count) == third.start - 5 * Self.mebibyte)
        #expect(third.end == length && lead.isFull)
    }

    @Test func `at its end a stream goes on over what was refused to another just then`() throws {
        let length = 8 * Self.mebibyte
        let (board, lead, second) = try cut(length)
        let cut = second.start
        #expect(lead.reserve(Int(cut)) == (0, Int(cut)) && lead.isFull)
        board.end(second, written: ByteRangeSet(0..<cut))
        #expect(lead.reserve(1000) == (cut, 1000) && lead.end == length)
    }

    @Test func `a short rest is left alone, unless it comes slowly`() {
        let board = RangeBoard(length: RangeBoard.rangeBytesMin)
        let slow = Claim(from: 0, to: RangeBoard.rangeBytesMin, limit: nil, source: 0)
        let quick = Claim(from: RangeBoard.rangeBytesMin, to: 8 * Self.mebibyte, limit: nil, source: 0)
        board.add(slow)
        #expect(board.take(source: 0, written: ByteRangeSet(), at: .zero) == nil)
        board.add(quick)
        board.look(after: .seconds(1))
        #expect(slow.reserve(100).count == 100)
        #expect(quick.reserve(4 << 20).count == 4 << 20)
        board.look(after: .seconds(1))
        board.end(quick, written: ByteRangeSet())
        let alone = Claim(from: 8 * Self.mebibyte, to: 8 * Self.mebibyte + 9, limit: nil, source: 0)
        board.add(alone)
        alone.look(after: .seconds(1))
        #expect(alone.reserve(9).count == 9)
        alone.look(after: .microseconds(1))
        let rest = board.take(source: 0, written: ByteRangeSet(RangeBoard.rangeBytesMin..<9 * Self.mebibyte), at: .zero)
        #expect(rest != nil)
        #expect(slow.end ?? 0 < RangeBoard.rangeBytesMin)
    }

    @Test func `who is never answered is stopped once others fetch its range, and is in nobody's way`() throws {
        let board = RangeBoard(length: 8 * Self.mebibyte)
        let silent = Claim(from: 0, to: 4 * Self.mebibyte, limit: nil, source: 0)
        board.add(silent)
        let stops = Mutex(0)
        let late = Mutex(0)
        silent.whenTaken { stops.withLock { $0 += 1 } }
        for _ in 0...Claim.silentLooksMax { board.look(after: .seconds(1)) }
        let held = ByteRangeSet(4 * Self.mebibyte..<8 * Self.mebibyte)
        let other = try #require(board.take(source: 0, written: held, at: .zero))
        #expect(other.start == 0 && other.end == 4 * Self.mebibyte)
        #expect(silent.isGivenUp && silent.isFull && stops.withLock { $0 } == 1)
        let third = try #require(board.take(source: 0, written: held, at: .zero), "what the first gave up is shared")
        #expect(third.start == 2 * Self.mebibyte)
        silent.whenTaken { late.withLock { $0 += 1 } }
        #expect(late.withLock { $0 } == 1, "a request that begins only now is stopped at once")
    }

    @Test func `an origin that serves nobody is not asked for ever, and one that gave bytes is asked on`() throws {
        let board = RangeBoard(length: 8 * Self.mebibyte)
        board.add(Claim(from: 0, to: 8 * Self.mebibyte, limit: nil, source: 0))
        func rescued() -> Claim? {
            for _ in 0...Claim.silentLooksMax { board.look(after: .seconds(1)) }
            #expect(board.hasOnlyStanding(written: ByteRangeSet()))
            let standing = board.all.first
            let claim = board.take(source: 0, written: ByteRangeSet(), at: .zero)
            if claim != nil, let standing { board.end(standing, written: ByteRangeSet()) }
            #expect(board.hasOnlyStanding(written: ByteRangeSet()) == (claim == nil))
            return claim
        }
        for _ in 0..<RangeBoard.rescuesMax { #expect(rescued() != nil) }
        #expect(rescued() == nil)
        // Too little to have a pace when it is looked.
        let short = Claim(from: 0, to: 9, limit: nil, source: 0)
        board.add(short)
        #expect(short.reserve(9).count == 9)
        board.end(short, written: ByteRangeSet())
        #expect(rescued() != nil)
    }

    @Test func `a piece that came wrong is not divided between two sources`() throws {
        func taken(by source: Int, suspects: Set<Int> = []) -> UInt64? {
            let board = RangeBoard(length: 64 * Self.mebibyte, pieceLength: 64 * Self.mebibyte, suspects: suspects)
            board.add(Claim(from: 0, to: 64 * Self.mebibyte, limit: nil, source: 0))
            let start = board.take(source: source, written: ByteRangeSet(), at: .zero)?.start
            board.suspect(0)
            #expect(source == 0 || board.take(source: source + 1, written: ByteRangeSet(), at: .zero) == nil)
            return start
        }
        #expect(taken(by: 1) == 32 * Self.mebibyte)
        #expect(taken(by: 1, suspects: [0]) == nil)
        #expect(taken(by: 0, suspects: [0]) == 32 * Self.mebibyte)
    }

    @Test func `a source that others are much faster than for long is slow, and only then`() throws {
        let board = RangeBoard(length: 1 << 40)
        let claims = [0, 1, 2].map { Claim(from: $0 << 30, to: ($0 + 1) << 30, limit: nil, source: Int($0)) }
        for claim in claims { board.add(claim) }
        let paces = [4 << 20, 300 << 10, 1 << 20]
        for look in 0...RangeBoard.slowLooksMax {
            #expect(board.slow.isEmpty)
            for (claim, pace) in zip(claims, paces) { #expect(claim.reserve(pace).count == pace) }
            // The first look only sets the marks; in between, the slow one is quick once.
            if look == 2 { #expect(claims[1].reserve(4 << 20).count == 4 << 20) }
            board.look(after: .seconds(1))
        }
        for _ in 0..<2 {
            #expect(board.slow.isEmpty)
            for (claim, pace) in zip(claims, paces) { #expect(claim.reserve(pace).count == pace) }
            board.look(after: .seconds(1))
        }
        let slow = try #require(board.slow.first)
        #expect(board.slow.count == 1 && slow.source == 1)
        #expect(slow.failure.code == .lowSpeed && slow.failure.isRetryable)
        #expect(slow.failure.message == "it gave 307200 bytes a second where another source gave 4194304")
        board.forget(1)
        #expect(board.slow.isEmpty)
    }

    @Test func `when all sources become slow together none is left for it`() {
        let board = RangeBoard(length: 1 << 40)
        let claims = [0, 1].map { Claim(from: $0 << 30, to: ($0 + 1) << 30, limit: nil, source: Int($0)) }
        for claim in claims { board.add(claim) }
        for paces in [[4 << 20, 4 << 20], [4 << 20, 4 << 20]] + Array(repeating: [4 << 10, 3 << 10], count: 9) {
            for (claim, pace) in zip(claims, paces) { #expect(claim.reserve(pace).count == pace) }
            board.look(after: .seconds(1))
            #expect(board.slow.isEmpty)
        }
    }

    @Test func `no byte is given to two streams, however claims are shortened`() {
        let claim = Claim(from: 0, to: 1000, limit: 1000, source: 0)
        #expect(claim.reserve(400) == (0, 400))
        #expect(claim.shorten(to: 300) == 400..<1000)
        #expect(claim.reserve(400) == (400, 0))
        #expect(claim.isFull)
        #expect(claim.shorten(to: 100) == nil)
    }

    @Test func `a claim never grows past what its answer holds`() {
        let claim = Claim(from: 0, to: 1000, limit: 600, source: 0)
        _ = claim.shorten(to: 500)
        #expect(claim.extend(over: 500..<1000))
        #expect(claim.end == 600)
        #expect(!claim.extend(over: 600..<1000))
        #expect(!Claim(from: 0, to: 5, limit: nil, source: 0).extend(over: 5..<6))
    }
}

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
