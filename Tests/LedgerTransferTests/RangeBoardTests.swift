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
