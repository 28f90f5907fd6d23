import LedgerModel
import LedgerTestSupport
import Testing

/// `--if-modified`: the origin of a finished file is asked whether it has a newer one, and whatever comes of that, the
/// file and its row stay until a newer one stands in its place.
struct RefreshTests {
    private static let order = Fixture.order()
    private static let enqueued = adds(.enqueued(order, priority: 3, rank: Fixture.rank(2)))
    private static let newer = Fixture.origin(length: 9, tag: "\"b\"")

    static let rows: [PhaseRow] = [
        PhaseRow(
            .refresh(order, priority: 3), joins(), joins(), joins(), joins(), joins(.rechecked), joins(.retried),
            joins(.retried), joins(.retried), joins(.retried), enqueued)
    ]

    @Test(arguments: rows) func `only what is completed is asked about`(_ row: PhaseRow) { row.check() }

    @Test func `whatever is said about a taken name, the file is asked about`() throws {
        for collision in [Destination.Collision.overwrite, .number] {
            let command = Command.refresh(Fixture.order(on: collision), priority: 0)
            let decision = try PhaseCase.completed.queue.decide(command, at: Fixture.now)
            #expect(decision == Decision([.init(1, .rechecked)], joined: 1), "\(collision)")
        }
    }

    @Test func `what came without a look at certificates is not asked about as if it had been checked`() throws {
        var order = Fixture.order()
        var options = order.options.value
        options.isInsecure = true
        order.options = Shared(options)
        var queue = Queue()
        for fact in [Fact.enqueued(order, rank: Fixture.rank(1))] + PhaseCase.finished.map({ Fact.about(1, $0) }) {
            queue.apply(fact.recorded(after: queue.sequence))
        }
        #expect(decided(queue, .refresh(Fixture.order(), priority: 0)) == no(.unchecked(by: 1)))
        #expect(decided(queue, .refresh(order, priority: 0)) == joins(.rechecked))
        #expect(decided(queue, .hold(.refresh(order, priority: 0))) == joins(.rechecked, .paused))
    }

    @Test(arguments: [Destination.Collision.skip, .number, .overwrite])
    func `a file that was never fetched is nobody's to remove, and a newer one goes beside it`(
        _ collision: Destination.Collision
    ) throws {
        let found = Event.found(Fixture.identity(), sha256: Fixture.digest(), path: "/data/file.iso")
        let order = Fixture.order(on: collision)
        var state = LedgerState()
        for fact in [Fact.enqueued(order, rank: Fixture.rank(1)), .about(1, found)] {
            state.apply(fact.recorded(after: state.sequence))
        }
        func events(_ command: Command) throws -> [Event] {
            try state.decide(command, at: Fixture.now).events.map(\.event)
        }
        for deletion in [Deletion.purge, .trash(path: "/trash/1")] {
            #expect(try events(.delete(1, deletion)) == [.deleted(.keepFile)])
        }
        let beside = collision == .skip ? [Event.changed(Fixture.order())] : []
        let asked = try state.decide(.refresh(order, priority: 0), at: Fixture.now)
        #expect(asked.joined == 1 && asked.events.map(\.event) == [.rechecked] + beside)
        for proposed in asked.events { state.apply(proposed.recorded(after: state.sequence, at: Fixture.now)) }
        #expect(state.queue[1]?.phase == .queued && state.queue[1]?.hasForeignFile == true)
        #expect(try events(.delete(1, .purge)) == [.deleted(.keepFile)])
    }

    @Test func `a file that another download fetched is the ledger's`() throws {
        var state = LedgerState()
        let found = Event.found(Fixture.identity(), sha256: Fixture.digest(), path: "/data/file.iso")
        let second = Fact.enqueued(Fixture.order("b", on: .skip), rank: Fixture.rank(2))
        let first = [Fact.enqueued(Fixture.order(), rank: Fixture.rank(1))]
        for fact in first + PhaseCase.finished.map({ .about(1, $0) }) + [second] {
            state.apply(fact.recorded(after: state.sequence))
        }
        let id = try #require(state.queue.downloads.last?.id)
        state.apply(Fact.about(id, found).recorded(after: state.sequence))
        #expect(state.queue[id]?.hasForeignFile == true)
        #expect(try state.decide(.delete(id, .purge), at: Fixture.now).events == [.init(id, .deleted(.purge))])
    }

    /// The state after download 1 was finished, asked about, and these events.
    private func state(after events: [Event]) -> LedgerState {
        var state = LedgerState()
        let facts = PhaseCase.finished + [.rechecked] + events
        for fact in [Fact.enqueued(Self.order, rank: Fixture.rank(1))] + facts.map({ Fact.about(1, $0) }) {
            state.apply(fact.recorded(after: state.sequence))
        }
        #expect(state.queue.invariantViolation() == nil)
        return state
    }

    private func download(after events: Event...) throws -> Download { try #require(state(after: events).queue[1]) }

    private var finished: Download {
        get throws { try #require(PhaseCase.completed.queue[1]) }
    }

    @Test func `while it is asked about it is queued, and the catalog still has it`() throws {
        let state = state(after: [.resolved(Self.newer, generation: 2), .progressed(ByteRangeSet(0..<5))])
        #expect(state.queue[1]?.phase == .queued)
        #expect(state.queue[1]?.file == nil)
        #expect(Array(state.catalog.files) == [1] && state.queue[1]?.hasWholeFile == true)
        #expect(state.queue[1]?.shownFile?.path == "/data/file.iso" && state.catalog.kinds[.archive]?.bytes == 1000)
        #expect(state.owner(of: "/data/file.iso") == 1)
    }

    static let ends: [[Event]] = [
        [.unchanged], [.failed(Fixture.lost, retryAt: nil)], [.cancelled],
        [.failed(Fixture.lost, retryAt: Fixture.now), .paused, .resumed, .unchanged],
        [.resolved(newer, generation: 2), .progressed(ByteRangeSet(0..<5)), .failed(Fixture.lost, retryAt: nil)],
        [
            .resolved(newer, generation: 2), .verified(length: 9, sha256: Fixture.digest(9), path: "/data/file.iso"),
            .failed(Fixture.lost, retryAt: nil),
        ],
        [.resolved(newer, generation: 2), .progressed(ByteRangeSet(0..<5)), .cancelled],
    ]

    @Test(arguments: ends.indices)
    func `whatever comes of it, the file and its row are what they were`(_ row: Int) throws {
        let state = state(after: Self.ends[row])
        let (before, after) = (try finished, try #require(state.queue[1]))
        #expect(after.phase == .completed && after.standing == nil)
        #expect(after.file == before.file && after.origin == before.origin)
        #expect(after.completedAt == before.completedAt && after.publishedIn == before.publishedIn)
        #expect(after.durable.isEmpty)
        #expect(after.epoch > before.epoch && after.generation > before.generation)
        #expect(state.owner(of: "/data/file.iso") == 1)
    }

    @Test func `a failure is shown, and gone when it is asked again`() throws {
        #expect(try download(after: .failed(Fixture.lost, retryAt: nil)).failure?.value == Fixture.lost)
        let again = try download(after: .failed(Fixture.lost, retryAt: nil), .rechecked)
        #expect(again.failure == nil && again.standing != nil)
        #expect(try download(after: .failed(Fixture.lost, retryAt: nil), .rechecked, .unchanged).failure == nil)
    }

    @Test func `the time of the answer is noted`() throws {
        #expect(try finished.checkedAt == nil)
        #expect(try download(after: .unchanged).checkedAt == Fixture.start.advanced(by: .seconds(6)))
    }

    @Test func `a newer file takes its place`() throws {
        let path = "/data/file.iso"
        let identity = Fixture.identity(length: 9, inode: 2)
        let download = try download(
            after: .resolved(Self.newer, generation: 2), .verified(length: 9, sha256: Fixture.digest(9), path: path),
            .completed(identity))
        #expect(download.phase == .completed && download.standing == nil)
        #expect(
            download.file?.value
                == PublishedFile(path: path, length: 9, sha256: Fixture.digest(9), identity: identity))
        #expect(download.origin?.value == Self.newer)
        #expect(download.completedAt == Fixture.start.advanced(by: .seconds(8)) && download.publishedIn == 8)
    }

    @Test func `deleted meanwhile it is the finished file that is deleted, and that comes back`() throws {
        let deleted = try download(after: .deleted(.trash(path: "/trash/1")))
        let before = try finished
        #expect(deleted.phase == .deleted && deleted.file == before.file)
        let restored = try download(after: .deleted(.trash(path: "/trash/1")), .restored(undoing: 6))
        #expect(restored.phase == .completed && restored.file == before.file)
    }

    @Test func `only what was asked about can be unchanged`() throws {
        #expect(throws: Rejection.outOfOrder(Lease(1, epoch: 0))) {
            try PhaseCase.queued.queue.decide(.report(Lease(1, epoch: 0), [.unchanged]), at: Fixture.now)
        }
        let asked = state(after: [.resolved(Self.newer, generation: 2)])
        let lease = try #require(asked.queue[1]?.lease)
        let decision = try asked.queue.decide(.report(lease, [.unchanged]), at: Fixture.now)
        #expect(decision == Decision([.init(1, .unchanged)]))
    }
}
