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
        let limits = RunningLimits(options(1000))
        // A burst of a quarter second is free.
        #expect(limits.limiter.take(10_250, at: .zero) == .seconds(10))
        #expect(limits.limiter.pause(at: .seconds(2)) == .seconds(8))
        limits.take(Shared(options(4000)), at: .seconds(2))
        #expect(limits.limiter.pause(at: .seconds(2)) == .seconds(2))
        limits.take(Shared(options(nil)), at: .seconds(2))
        #expect(limits.limiter.pause(at: .seconds(2)) == .zero)
        #expect(limits.limiter.bytesPerSecondMax == nil)
    }

    @Test func `a change that leaves the rate alone forgives nothing`() {
        let limits = RunningLimits(options(1000))
        _ = limits.limiter.take(10_250, at: .zero)
        limits.take(Shared(options(1000, retries: 7)), at: .zero)
        #expect(limits.limiter.pause(at: .zero) == .seconds(10))
        #expect(limits.retriesMax == 7)
    }
}
