import LedgerModel
import Testing

@testable import LedgerTransfer

struct RunningLimitsTests {
    private func options(_ rate: UInt64?, retries: UInt32? = nil) -> TransferOptions {
        var options = TransferOptions()
        options.bytesPerSecondMax = rate
        options.retriesMax = retries
        return options
    }

    @Test func `a raised rate shortens the pause that is under way, and a lifted one ends it`() {
        let limits = RunningLimits(options(1000), at: .zero)
        #expect(limits.limiter.take(10_000, at: .zero) == .seconds(10))
        #expect(limits.limiter.pause(at: .seconds(2)) == .seconds(8))
        limits.take(Shared(options(4000)), at: .seconds(2))
        #expect(limits.limiter.pause(at: .seconds(2)) == .seconds(2))
        limits.take(Shared(options(nil)), at: .seconds(2))
        #expect(limits.limiter.pause(at: .seconds(2)) == .zero)
        #expect(limits.limiter.bytesPerSecondMax == nil)
    }

    @Test func `how long bytes were held back grows as time passes, and only while they are`() {
        let limiter = RateLimiter(bytesPerSecondMax: 1000)
        // A quarter second's worth is saved up, and free.
        #expect(limiter.take(250, at: .seconds(1)) == .zero && limiter.held(at: .seconds(9)) == .zero)
        _ = limiter.take(2250, at: .seconds(9))
        let courses = [9, 10, 11, 12].map { second in
            Course(time: .seconds(second), received: 0, held: [.zero, limiter.held(at: .seconds(second))])
        }
        #expect(courses.map { $0.held[1] } == [0, 1, 2, 2].map { .seconds($0) })
        #expect(courses[1].wasHeldBack(since: courses[0]) && !courses[3].wasHeldBack(since: courses[2]))
        limiter.setRate(nil, at: .seconds(12))
        _ = limiter.take(1 << 30, at: .seconds(12))
        #expect(limiter.held(at: .seconds(20)) == .seconds(2))
    }

    @Test func `a change that leaves the rate alone forgives nothing`() {
        let limits = RunningLimits(options(1000), at: .zero)
        _ = limits.limiter.take(10_000, at: .zero)
        limits.take(Shared(options(1000, retries: 7)), at: .zero)
        #expect(limits.limiter.pause(at: .zero) == .seconds(10))
        #expect(limits.retriesMax == 7)
    }

    @Test func `who goes on owes what was owed, under the rate of now`() {
        let limits = RunningLimits(options(1000), at: .zero)
        _ = limits.limiter.take(10_000, at: .zero)
        let next = RunningLimits(options(2000), at: .seconds(2), owing: limits.limiter)
        #expect(next.limiter.pause(at: .seconds(2)) == .seconds(4))
        #expect(next.isOwing && !limits.isOwing)
    }
}
