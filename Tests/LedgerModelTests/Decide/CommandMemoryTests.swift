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

    /// A redaction that was cut short comes back under its name, behind other commands.
    @Test func `a past that is folded at once leaves the same memory`() {
        let names = [1, 1, 2, 1, 3, 3, 2] + Array(4...Queue.commandsMax + 2) + [5, 5]
        let events = names.enumerated().map { place, number in
            Decision.Proposed(nil, .checkpointed(size: 0, root: Fixture.digest())).recorded(
                after: SequenceNumber(UInt64(place)), at: Fixture.now, command: name(number))
        }
        var (followed, folded) = (LedgerState(), LedgerState())
        for event in events { followed.apply(event) }
        folded.foldPast { state in for event in events { state.apply(event) } }
        #expect(folded == followed)
        #expect(folded.queue.invariantViolation() == nil && followed.queue.invariantViolation() == nil)
        let last = SequenceNumber(UInt64(events.count - 1))
        #expect(followed.queue.answer(to: name(5)) == CommandAnswer(first: last, count: 2))
        for number in [1, 2, 3, 4, 5, Queue.commandsMax + 2] {
            #expect(folded.queue.answer(to: name(number)) == followed.queue.answer(to: name(number)))
        }
    }
}
