import LedgerModel
import LedgerTestSupport
import Testing

/// An order that names an instant waits for it, whatever is done to it meanwhile.
struct NotBeforeTests {
    private static let later = Fixture.now.advanced(by: .seconds(1000))
    private static let order = Fixture.order(notBefore: later)
    private static let first = Fact.enqueued(order, rank: Fixture.rank(1))

    @Test func `it waits when it is enqueued`() {
        Scenario(Queue.self).when(.enqueue(Self.order, priority: 0, again: false)).recorded(Self.first) {
            $0[1] = Download(
                id: 1, order: Self.order, phase: .waiting(until: Self.later), priority: 0, rank: Fixture.rank(1),
                addedAt: Fixture.now)
        }
    }

    /// The clock was ahead when the wait was recorded, and was put right since.
    @Test func `an attempt that is put off beyond what is ever waited for is found, and an order's own instant is not`()
    {
        var queue = Queue()
        let far = Fixture.now.advanced(by: .seconds(86_400 * 365))
        let failed = Event.failed(Failure(.unreachable, "no way", isRetryable: true), retryAt: far)
        for fact in [
            Self.first, .enqueued(Fixture.order("2.iso"), rank: Fixture.rank(2)), .about(2, failed),
            .enqueued(Fixture.order("3.iso", notBefore: far.advanced(by: .seconds(1))), rank: Fixture.rank(3)),
        ] {
            queue.apply(fact.recorded(after: queue.sequence))
        }
        #expect(queue.retried(after: Fixture.now) == [2])
        #expect(queue.retried(after: far.advanced(by: .milliseconds(-1))) == [2])
        #expect(queue.retried(after: far) == [])
    }

    @Test func `an instant that has passed is no wait`() {
        let order = Fixture.order(notBefore: Fixture.now)
        Scenario(Queue.self).when(.enqueue(order, priority: 0, again: false))
            .recorded(.enqueued(order, rank: Fixture.rank(1))) {
                $0[1] = Download(
                    id: 1, order: order, phase: .queued, priority: 0, rank: Fixture.rank(1), addedAt: Fixture.now)
            }
    }

    @Test func `it waits on when it is resumed`() {
        Scenario(Queue.self).given(Self.first, .about(1, .paused)).when(.resume(1)).recorded(.about(1, .resumed)) {
            $0[1]?.phase = .waiting(until: Self.later)
            $0[1]?.epoch = 2
        }
    }

    @Test func `it waits on when its deletion is undone`() {
        Scenario(Queue.self).given(Self.first, .about(1, .deleted(.keepFile)))
            .when(.undo(nil)).recorded(.about(1, .restored(undoing: 2))) {
                $0[1]?.phase = .waiting(until: Self.later)
                $0[1]?.epoch = 2
            }
    }

    @Test func `a change of the instant counts at once`() {
        Scenario(Queue.self).given(.enqueued(Fixture.order(), rank: Fixture.rank(1)))
            .when(.change(1, Fixture.change { $0.notBefore = Self.later })).recorded(.about(1, .changed(Self.order))) {
                $0[1]?.order = Self.order
                $0[1]?.phase = .waiting(until: Self.later)
                $0[1]?.epoch = 1
            }
            .when(.undo(nil)).recorded(.about(1, .restored(undoing: 2))) {
                $0[1]?.order = Fixture.order()
                $0[1]?.phase = .queued
                $0[1]?.epoch = 2
            }
    }

    @Test func `what failed once waits for an instant that is named behind that`() {
        let failed = Event.failed(Fixture.lost, retryAt: Fixture.now)
        Scenario(Queue.self)
            .given(
                .enqueued(Fixture.order(), rank: Fixture.rank(1)), .about(1, failed), .about(1, .paused),
                .about(1, .resumed)
            )
            .when(.change(1, Fixture.change { $0.notBefore = Self.later })).recorded(.about(1, .changed(Self.order))) {
                $0[1]?.order = Self.order
                $0[1]?.phase = .waiting(until: Self.later)
                $0[1]?.epoch = 4
            }
    }

    @Test(arguments: [Event.cancelled, .failed(Fixture.lost, retryAt: nil)])
    func `what is fetched after all waits for its instant`(_ end: Event) {
        let given: [Fact] = [Self.first, .about(1, end)]
        var queue = Queue()
        for fact in given { queue.apply(fact.recorded(after: queue.sequence)) }
        queue.apply(Fact.about(1, .retried).recorded(after: queue.sequence))
        #expect(queue[1]?.phase == .waiting(until: Self.later))
        queue.apply(Fact.about(1, .retried).recorded(after: queue.sequence))
        #expect(queue[1]?.phase == .queued, "asked for again while it waits")
    }

    @Test func `retry does not wait`() {
        Scenario(Queue.self).given(Self.first).when(.retry(1)).recorded(.about(1, .retried)) {
            $0[1]?.phase = .queued
            $0[1]?.epoch = 1
        }
    }
}
