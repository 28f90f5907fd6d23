import LedgerTransfer
import Testing

@Suite struct TokenBucketTests {
    @Test func `without a limit nothing waits`() {
        var bucket = TokenBucket(bytesPerSecondMax: nil, at: .zero)
        #expect(bucket.take(.max / 2, at: .zero) == .zero)
    }

    @Test func `from the first byte on no more passes than the rate and one read`() {
        var bucket = TokenBucket(bytesPerSecondMax: 1000, at: .zero)
        var (now, bytes) = (Duration.zero, UInt64(0))
        while now < .seconds(10) {
            bytes += 137
            now += bucket.take(137, at: now)
        }
        #expect(bytes <= 10_000 + 137)
        #expect(bytes >= 10_000)
    }

    @Test func `a limit that is lowered holds for what is to come, and one that is raised for what is owed, too`() {
        var bucket = TokenBucket(bytesPerSecondMax: 1000, at: .zero)
        #expect(bucket.take(1000, at: .zero) == .seconds(1))
        bucket.setRate(100, at: .zero)
        #expect(bucket.take(0, at: .zero) == .seconds(1))
        #expect(bucket.take(100, at: .zero) == .seconds(2))
        bucket.setRate(1000, at: .zero)
        #expect(bucket.take(0, at: .zero) == .milliseconds(200))
        bucket.setRate(nil, at: .zero)
        #expect(bucket.take(5000, at: .zero) == .zero)
    }

    @Test func `what is saved up while nothing comes is a quarter second's worth`() {
        var bucket = TokenBucket(bytesPerSecondMax: 1000, at: .zero)
        #expect(bucket.take(350, at: .seconds(60)) == .milliseconds(100))
    }

    @Test func `time that stands still or jumps back gives nothing`() {
        var bucket = TokenBucket(bytesPerSecondMax: 1000, at: .seconds(5))
        #expect(bucket.take(100, at: .seconds(1)) == .milliseconds(100))
    }
}
