import LedgerModel
import LedgerTestSupport
import Testing

/// Every command of a user in every phase: queued, waiting, paused, publishing, completed, missing, altered, failed,
/// cancelled, deleted.
struct UserCommandTests {
    private static let done = no(.alreadyCompleted(1))
    private static let missing = no(.alreadyMissing(1))
    private static let altered = no(.alreadyAltered(1))
    private static let gone = no(.alreadyDeleted(1))
    private static let publishing = no(.publishing(1))
    private static let failed = no(.alreadyFailed(1))
    private static let cancelled = no(.alreadyCancelled(1))
    private static let notPaused = no(.notPaused(1))
    private static let notRetryable = no(.notRetryable(1))

    static let state: [PhaseRow] = [
        PhaseRow(
            .pause(1), does(.paused), does(.paused), no(.alreadyPaused(1)), publishing, done, missing, altered, failed,
            cancelled, gone),
        PhaseRow(
            .resume(1), notPaused, notPaused, does(.resumed), notPaused, notPaused, notPaused, notPaused, notPaused,
            notPaused, notPaused),
        PhaseRow(
            .cancel(1), does(.cancelled), does(.cancelled), does(.cancelled), publishing, done, missing, altered,
            does(.cancelled), cancelled, gone),
        PhaseRow(
            .retry(1), notRetryable, does(.retried), notRetryable, notRetryable, notRetryable, does(.retried),
            does(.retried), does(.retried), does(.retried), notRetryable),
        PhaseRow(
            .delete(1, .purge), does(.deleted(.purge)), does(.deleted(.purge)), does(.deleted(.purge)), publishing,
            does(.deleted(.purge)), does(.deleted(.purge)), does(.deleted(.keepFile)), does(.deleted(.purge)),
            does(.deleted(.purge)), gone),
    ]

    @Test(arguments: state) func `what changes a phase`(_ row: PhaseRow) { row.check() }

    private static func whileLive(_ command: Command, _ event: Event?, line: SourceLocation) -> PhaseRow {
        let outcome = event.map { does($0) } ?? does()
        return PhaseRow(
            command, outcome, outcome, outcome, publishing, done, missing, altered, failed, cancelled, gone,
            location: line)
    }

    private static let changed = Event.changed(Fixture.order("b"))
    private static let toB = Fixture.change { $0.source = .init(url: Fixture.order("b").url) }
    private static let first = Fixture.change { $0.priority = 5 }
    private static let first1 = Event.moved(priority: 5, rank: Fixture.rank(2))

    static let place: [PhaseRow] = [
        // Where it stands alone it is the first and the last.
        whileLive(.move(1, .first), nil, line: #_sourceLocation),
        whileLive(.move(1, .last), nil, line: #_sourceLocation),
        whileLive(.move(1, .index(1)), nil, line: #_sourceLocation),
        whileLive(.move(1, .index(9)), nil, line: #_sourceLocation),
        whileLive(.move(1, .priority(5)), .moved(priority: 5, rank: Fixture.rank(2)), line: #_sourceLocation),
        PhaseRow(
            .change(1, toB), does(changed), does(changed), does(changed), publishing, done, missing, altered,
            does(changed),
            cancelled, gone),
        PhaseRow(
            .change(1, first), does(first1), does(first1), does(first1), publishing, done, missing, altered,
            does(first1),
            cancelled, gone),
    ]

    @Test(arguments: place) func `what changes a place or an order`(_ row: PhaseRow) { row.check() }

    private static let nothing = no(.nothingToUndo)
    private static let never = no(.notUndoable(2))
    private static let itself = no(.nothingToUndoOf(1))
    private static let undone = does(.restored(undoing: 2))

    static let undo: [PhaseRow] = [
        PhaseRow(.undo(nil), nothing, nothing, undone, nothing, nothing, nothing, nothing, nothing, undone, undone),
        PhaseRow(.undo(2), no(.noEvent(2, last: 1)), never, undone, never, never, never, never, never, undone, undone),
        // An enqueue can not be undone: the download of that number was meant.
        PhaseRow(.undo(1), itself, itself, undone, itself, itself, itself, itself, itself, undone, undone),
    ]

    @Test(arguments: undo) func `what can be undone`(_ row: PhaseRow) { row.check() }

    private static let enqueued = adds(.enqueued(Fixture.order(), priority: 3, rank: Fixture.rank(2)))

    static let enqueue: [PhaseRow] = [
        PhaseRow(
            .enqueue(Fixture.order(), priority: 3, again: false), joins(), joins(), joins(), joins(), joins(),
            joins(.retried), joins(.retried), joins(.retried), joins(.retried), enqueued),
        PhaseRow(.enqueue(Fixture.order(), priority: 3, again: true), enqueued),
        PhaseRow(
            .hold(.enqueue(Fixture.order(), priority: 3, again: false)), joins(), joins(), joins(), joins(), joins(),
            joins(.retried, .paused), joins(.retried, .paused), joins(.retried, .paused), joins(.retried, .paused),
            .success(held(3))),
    ]

    /// What enqueues the download that gets the next number, and pauses it in the same decision.
    private static func held(_ id: DownloadID) -> Decision {
        Decision([.init(nil, .enqueued(Fixture.order(), priority: 3, rank: Fixture.rank(2))), .init(id, .paused)])
    }

    @Test(arguments: PhaseCase.allCases)
    func `what is fetched again and waits is a download of its own`(_ phase: PhaseCase) throws {
        let queue = phase.queue
        let again = Command.enqueue(Fixture.order(), priority: 3, again: true)
        let decision = try queue.decide(.hold(again), at: Fixture.now)
        #expect(decision == Self.held(DownloadID(queue.sequence.next)))
    }

    @Test(arguments: enqueue) func `an equal order`(_ row: PhaseRow) { row.check() }

    static let unknown: [PhaseRow] = [
        PhaseRow(.pause(99), no(.notFound(99))),
        PhaseRow(.resume(99), no(.notFound(99))),
        PhaseRow(.cancel(99), no(.notFound(99))),
        PhaseRow(.retry(99), no(.notFound(99))),
        PhaseRow(.move(99, .first), no(.notFound(99))),
        PhaseRow(.change(99, OrderChange()), no(.notFound(99))),
        PhaseRow(.delete(99, .keepFile), no(.notFound(99))),
        PhaseRow(.report(Lease(99, epoch: 0), []), no(.notFound(99))),
        PhaseRow(.observe(99, .missing), no(.notFound(99))),
    ]

    @Test(arguments: unknown) func `a download that never was`(_ row: PhaseRow) { row.check() }
}
