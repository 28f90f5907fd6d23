import LedgerTestSupport
import Testing

@testable import LedgerModel

/// What a queue that was opened knows by name, whenever it is asked first.
@Suite struct NamesOnDemandTests {
    private let queue: Queue

    init() {
        var queue = Queue()
        for name in ["a", "b", "a"] { Self.enqueue(name, into: &queue) }
        self.queue = Queue(queue.image)
    }

    private static func enqueue(_ name: String, into queue: inout Queue) {
        let event = Event.enqueued(Fixture.order(name), priority: 0, rank: Fixture.rank(1))
        queue.apply(Decision.Proposed(nil, event).recorded(after: queue.sequence, at: Fixture.now, command: nil))
    }

    private func numbers(_ name: String, in queue: Queue) -> [UInt64] {
        queue.downloads(from: Fixture.order(name).url).map(\.id.rawValue)
    }

    @Test func `what comes while somebody else asks is found all the same`() async {
        for _ in 0..<500 {
            let unasked = Queue(queue.image)
            var later = unasked
            async let asked = Task.detached { unasked.downloads(from: Fixture.order("a").url).count }.value
            Self.enqueue("a", into: &later)
            #expect(await asked == 2)
            #expect(numbers("a", in: later) == [4, 3, 1])
        }
    }

    @Test func `what is there is found when it is asked for`() {
        #expect(numbers("a", in: queue) == [3, 1] && numbers("b", in: queue) == [2] && numbers("c", in: queue) == [])
        #expect(queue.equal(to: Fixture.order("a"))?.id.rawValue == 3)
    }

    @Test(arguments: [true, false]) func `what comes later is found too, whoever asked before`(isAsked: Bool) {
        var later = queue
        if isAsked { #expect(numbers("a", in: queue) == [3, 1]) }
        Self.enqueue("a", into: &later)
        Self.enqueue("c", into: &later)
        #expect(numbers("a", in: later) == [4, 3, 1] && numbers("c", in: later) == [5])
        #expect(later.invariantViolation() == nil)
        // The copy from before knows nothing of it.
        #expect(numbers("a", in: queue) == [3, 1] && numbers("c", in: queue) == [])
        #expect(queue.invariantViolation() == nil)
    }
}
