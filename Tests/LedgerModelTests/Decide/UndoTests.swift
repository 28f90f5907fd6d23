import LedgerModel
import LedgerTestSupport
import Testing

/// What undo brings back: the last thing first, or the one it is told.
struct UndoTests {
    private static let first = Fact.enqueued(Fixture.order(), rank: Fixture.rank(1))
    private static let second = Fact.enqueued(Fixture.order("b"), rank: Fixture.rank(2))

    /// Each event that can be undone, and a download as it was before.
    static let single: [(events: [Event], last: Event, restartsWorker: Bool)] = [
        ([], .paused, true), ([.paused], .resumed, true), ([], .cancelled, true), ([.paused], .cancelled, true),
        ([], .deleted(.keepFile), true), ([], .deleted(.trash(path: "/t")), true),
        (PhaseCase.finished, .deleted(.keepFile), true), ([.cancelled], .deleted(.keepFile), true),
        ([.failed(Fixture.lost, retryAt: nil)], .cancelled, true),
        ([.failed(Fixture.lost, retryAt: Fixture.now)], .deleted(.keepFile), true),
        ([], .changed(Fixture.order("c")), true), ([], .moved(priority: 4, rank: Fixture.rank(9)), false),
        ([.failed(Fixture.lost, retryAt: nil)], .moved(priority: 4, rank: Fixture.rank(9)), false),
    ]

    @Test(arguments: single.indices) func `each comes back as it was`(_ row: Int) throws {
        let (events, last, restarts) = Self.single[row]
        var queue = Queue()
        for fact in [Self.first] + events.map({ Fact.about(1, $0) }) {
            queue.apply(fact.recorded(after: queue.sequence))
        }
        var before = try #require(queue[1])
        queue.apply(Fact.about(1, last).recorded(after: queue.sequence))
        let sequence = queue.sequence
        #expect(queue.lastUndoable(of: 1) == sequence)
        #expect(decided(queue, .undo(nil)) == does(.restored(undoing: sequence)))
        #expect(decided(queue, .undo(sequence)) == does(.restored(undoing: sequence)))
        queue.apply(Fact.about(1, .restored(undoing: sequence)).recorded(after: queue.sequence))
        before.epoch += restarts ? 2 : 0
        // Where a file went stays known: it comes back from there.
        if case .deleted(let deletion) = last { before.deletion = Shared(deletion) }
        #expect(queue[1] == before)
        #expect(queue.invariantViolation() == nil)
        #expect(decided(queue, .undo(sequence)) == no(.notUndoable(sequence)))
    }

    static let never: [Event] = [
        .retried, .missing, .altered(Fixture.identity(), sha256: nil), .deleted(.purge),
        .found(Fixture.identity(), sha256: Fixture.digest(), path: "/p"),
    ]

    @Test(arguments: never) func `what is a fact or final is not undone`(_ event: Event) {
        var queue = PhaseCase.missing.queue
        queue.apply(Fact.about(1, event).recorded(after: queue.sequence))
        #expect(decided(queue, .undo(nil)) == no(.nothingToUndo))
        #expect(decided(queue, .undo(queue.sequence)) == no(.notUndoable(queue.sequence)))
    }

    @Test(arguments: [Destination.Collision.overwrite, .skip])
    func `what is fetched anew leaves alone what came to stand there, also when undo is asked for`(
        collision: Destination.Collision
    ) throws {
        let order = Fixture.order(on: collision)
        let altered = PhaseCase.finished + [.altered(Fixture.identity(inode: 2), sha256: Fixture.digest(8))]
        var queue = Queue()
        for fact in [.enqueued(order, rank: Fixture.rank(1))] + altered.map({ Fact.about(1, $0) }) {
            queue.apply(fact.recorded(after: queue.sequence))
        }
        #expect(decided(queue, .retry(1)) == does(.retried, .changed(Fixture.order())))
        for event in [Event.retried, .changed(Fixture.order())] {
            queue.apply(Fact.about(1, event).recorded(after: queue.sequence))
        }
        #expect(queue[1]?.phase == .queued && queue[1]?.order.destination.collision == .number)
        #expect(queue.invariantViolation() == nil)
        #expect(decided(queue, .undo(nil)) == no(.nothingToUndo))
        // Who would replace a file that stands there gets a download that does; who would rather fetch nothing has one.
        let anew = try decided(queue, .enqueue(order, priority: 0, again: false)).get()
        #expect(anew.joined == (collision == .skip ? 1 : nil), "\(anew)")
        #expect(anew.events.map(\.event.kind) == (collision == .skip ? [] : [.enqueued]), "\(anew)")
    }

    @Test func `what has not happened yet is not there to be undone`() {
        Scenario(Queue.self).given(Self.first).when(.undo(2)).refused(.noEvent(2, last: 1))
    }

    @Test func `twice undoes the last two, in reverse`() {
        Scenario(Queue.self).given(
            Self.first, .about(1, .paused), .about(1, .cancelled), .about(1, .deleted(.keepFile))
        )
        .when(.undo(nil)).recorded(.about(1, .restored(undoing: 4))) {
            $0[1]?.phase = .cancelled
            $0[1]?.epoch = 4
        }
        .when(.undo(nil)).recorded(.about(1, .restored(undoing: 3))) {
            $0[1]?.phase = .paused
            $0[1]?.epoch = 5
        }
        .when(.undo(nil)).recorded(.about(1, .restored(undoing: 2))) {
            $0[1]?.phase = .queued
            $0[1]?.epoch = 6
        }
        .when(.undo(nil)).refused(.nothingToUndo)
    }

    @Test func `what one command did is undone together, and what it did to another is left`() throws {
        var queue = Queue()
        let command = CommandID(high: 1, low: 2)
        for fact in [Self.first, Self.second] { queue.apply(fact.recorded(after: queue.sequence)) }
        for (id, event) in [(DownloadID(1), Event.paused), (DownloadID(2), .cancelled)] {
            queue.apply(
                Recorded(
                    sequence: queue.sequence.next, time: Fixture.now, id: id, command: command, actor: .cli,
                    event: event))
        }
        #expect(
            try queue.decide(.undo(nil), at: Fixture.now, limits: Limits()).events
                == [.init(2, .restored(undoing: 4)), .init(1, .restored(undoing: 3))])
        #expect(decided(queue, .undo(3)) == does(.restored(undoing: 3)))
        queue.apply(Fact.about(1, .resumed).recorded(after: queue.sequence))
        #expect(decided(queue, .undo(nil)) == does(.restored(undoing: 5)))
    }

    @Test func `a cancellation below a deletion is not undone before it`() {
        let both = Scenario(Queue.self).given(Self.first, .about(1, .cancelled), .about(1, .deleted(.keepFile)))
        both.when(.undo(2)).refused(.notUndoable(2))
        Scenario(Queue.self).given(Self.first, .about(1, .cancelled), .about(1, .deleted(.purge)))
            .when(.undo(2)).refused(.notUndoable(2))
    }

    @Test func `a change below a later one is not undone before it`() {
        let both = Scenario(Queue.self).given(
            Self.first, .about(1, .changed(Fixture.order("b"))), .about(1, .changed(Fixture.order("c"))))
        both.when(.undo(2)).refused(.notUndoable(2))
    }

    @Test func `a cancellation that was taken back and made again is undone once`() {
        let scenario = Scenario(Queue.self).given(
            Self.first, .about(1, .cancelled), .about(1, .retried), .about(1, .cancelled))
        scenario.when(.undo(2)).refused(.notUndoable(2))
        scenario.when(.undo(nil)).recorded(.about(1, .restored(undoing: 4))) {
            $0[1]?.phase = .queued
            $0[1]?.epoch = 4
        }.when(.undo(nil)).refused(.nothingToUndo)
    }

    @Test func `by sequence it reaches behind what others did since`() {
        Scenario(Queue.self).given(Self.first, Self.second, .about(1, .paused), .about(2, .paused), .about(2, .resumed))
            .when(.undo(3)).recorded(.about(1, .restored(undoing: 3))) {
                $0[1]?.phase = .queued
                $0[1]?.epoch = 2
            }
            .when(.undo(4)).refused(.notUndoable(4))
    }

    @Test func `what went on since is left alone`() {
        Scenario(Queue.self)
            .given(Self.first, .about(1, .paused), .about(1, .resumed), .about(1, .failed(Fixture.lost, retryAt: nil)))
            .when(.undo(nil)).refused(.nothingToUndo)
    }

    @Test func `the oldest is forgotten at the bound`() {
        var queue = PhaseCase.queued.queue
        for index in 0...Queue.undoEntriesMax {
            queue.apply(Fact.about(1, index.isMultiple(of: 2) ? .paused : .resumed).recorded(after: queue.sequence))
        }
        #expect(queue.image.undoable.count == Queue.undoEntriesMax)
        #expect(queue.image.undoable.first?.sequence == 3)
        #expect(decided(queue, .undo(2)) == no(.notUndoable(2)))
    }
}
