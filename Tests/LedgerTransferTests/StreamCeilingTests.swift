import LedgerTransfer
import Testing

/// How many streams a place serves, as its refusals told.
struct StreamCeilingTests {
    private let rest = StreamCeiling.restMin

    @Test func `one more is tried after a rest that doubles while it is refused again`() {
        var ceiling = StreamCeiling()
        #expect(ceiling.streamsMax(at: .zero) == .max)
        ceiling.refused(running: 7, at: .seconds(1), wait: .zero)
        ceiling.refused(running: 6, at: .seconds(2), wait: .zero)
        #expect(ceiling.streamsMax(at: .seconds(2)) == 6)
        var (now, wait) = (Duration.seconds(2), rest)
        for _ in 0..<8 {
            #expect(ceiling.streamsMax(at: now + wait - .milliseconds(1)) == 6)
            now += wait
            #expect(ceiling.streamsMax(at: now) == 7)
            ceiling.refused(running: 6, at: now, wait: .zero)
            wait = min(wait * 2, StreamCeiling.restMax)
        }
        #expect(wait == StreamCeiling.restMax)
    }

    @Test func `what is served again is a stream more, and the next is tried soon`() {
        var ceiling = StreamCeiling()
        ceiling.served(3, at: .zero)
        #expect(ceiling == StreamCeiling(), "nothing was refused")
        ceiling.refused(running: 3, at: .zero, wait: .zero)
        ceiling.refused(running: 3, at: rest, wait: .zero)
        ceiling.served(3, at: rest * 3)
        #expect(ceiling.streamsMax(at: rest * 3) == 4, "as many as before tell nothing")
        ceiling.served(4, at: rest * 3)
        #expect(ceiling.streamsMax(at: rest * 3) == 4)
        let due = rest * 3 + StreamCeiling.restServed
        #expect(ceiling.streamsMax(at: due) == 5)
        ceiling.refused(running: 4, at: due, wait: .zero)
        #expect(ceiling.streamsMax(at: due + rest - .milliseconds(1)) == 4)
        #expect(ceiling.streamsMax(at: due + rest) == 5, "the first refusal since is waited out once")
    }

    @Test func `a place is left alone for as long as it asks, or for good`() {
        var ceiling = StreamCeiling()
        ceiling.refused(running: 1, at: .zero, wait: rest * 100)
        ceiling.refused(running: 1, at: .zero, wait: .zero)
        #expect(ceiling.streamsMax(at: rest * 100 - .milliseconds(1)) == 1)
        #expect(ceiling.streamsMax(at: rest * 100) == 2)
        ceiling.refused(running: 1, at: rest * 100, wait: nil)
        ceiling.refused(running: 1, at: rest * 100, wait: .zero)
        ceiling.served(2, at: rest * 100)
        #expect(ceiling.streamsMax(at: rest * 1_000_000) == 1)
    }

    @Test func `of two the later one is known`() {
        var (one, other) = (StreamCeiling(), StreamCeiling())
        #expect(!one.isNewer(than: other))
        one.refused(running: 1, at: .zero, wait: .zero)
        #expect(one.isNewer(than: other) && !other.isNewer(than: one))
        other = one
        other.served(2, at: rest)
        #expect(other.isNewer(than: one) && !one.isNewer(than: other))
    }
}
