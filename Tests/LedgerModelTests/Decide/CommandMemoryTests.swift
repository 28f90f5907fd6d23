import LedgerModel
import LedgerTestSupport
import Testing

/// A command that comes again under its name is known by it, within a bound.
struct CommandMemoryTests {
    private func name(_ number: Int) -> CommandID { CommandID(high: 1, low: UInt64(number)) }

    @Test func `a command is answered with the events it made`() {
        var queue = Queue()
        for index in 1...3 {
            let event = Event.enqueued(Fixture.order(String(index)), priority: 0, rank: Fixture.rank(Int64(index)))
            queue.apply(
                Decision.Proposed(nil, event).recorded(
                    after: queue.sequence, at: Fixture.now, command: index == 1 ? nil : name(1)))
        }
        #expect(queue.answer(to: name(1)) == CommandAnswer(first: 2, count: 2))
        #expect(queue.answer(to: name(2)) == nil)
        #expect(Queue(queue.image).answer(to: name(1)) == CommandAnswer(first: 2, count: 2))
    }

    @Test func `the oldest command is forgotten at the bound`() {
        var queue = Queue()
        for index in 0...Queue.commandsMax {
            queue.apply(
                Decision.Proposed(nil, .checkpointed(size: 0, root: Fixture.digest())).recorded(
                    after: queue.sequence, at: Fixture.now, command: name(index)))
        }
        #expect(queue.answer(to: name(0)) == nil)
        #expect(queue.answer(to: name(1)) == CommandAnswer(first: 2, count: 1))
        #expect(queue.answer(to: name(Queue.commandsMax)) != nil)
        #expect(queue.image.answers.count == Queue.commandsMax)
    }
}
