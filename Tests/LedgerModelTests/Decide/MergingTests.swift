import LedgerModel
import LedgerTestSupport
import Testing

/// The same URL asked for twice is one transfer; every asker gets its result (row 36 of the behaviours).
struct MergingTests {
    private static let order = Fixture.order()
    private static let enqueue = Command.enqueue(order, priority: 0, again: false)
    private static let first = Fact.enqueued(order, rank: Fixture.rank(1))
    private static let second = Fact.enqueued(order, rank: Fixture.rank(2))

    @Test func `a second asker joins the first`() {
        Scenario(Queue.self).given(Self.first).when(Self.enqueue).joined(1)
    }

    static let different: [Order] = [
        Fixture.order("other.iso"), Fixture.order(host: "example.net"), Fixture.order(directory: "/elsewhere"),
        Fixture.order(saveAs: "mine.iso"),
    ]

    @Test(arguments: different) func `another URL, directory or name is another download`(_ order: Order) {
        #expect(
            decided(PhaseCase.queued.queue, .enqueue(order, priority: 0, again: false))
                == adds(.enqueued(order, priority: 0, rank: Fixture.rank(2))))
    }

    #if !canImport(Darwin)
        /// An accented letter in one character and in two: one text to Swift, two names to the disk.
        @Test func `names that a disk tells apart are other downloads, and other files`() throws {
            let (one, two) = ("caf\u{E9}.iso", "cafe\u{301}.iso")
            try #require(one == two)
            for other in [Fixture.order(saveAs: two), Fixture.order(directory: "/" + two)] {
                let first =
                    other.destination.name == nil ? Fixture.order(directory: "/" + one) : Fixture.order(saveAs: one)
                var queue = Queue()
                queue.apply(Fact.enqueued(first, rank: Fixture.rank(1)).recorded(after: .zero))
                let enqueue = { (order: Order) in Command.enqueue(order, priority: 0, again: false) }
                #expect(try queue.decide(enqueue(first), at: Fixture.now).joined == 1)
                #expect(try queue.decide(enqueue(other), at: Fixture.now).joined == nil)
                #expect(other.destination != first.destination)
            }
            var state = LedgerState()
            for (number, name) in zip([1, 2] as [Int64], [one, two]) {
                let order = Fixture.order("\(number).iso", saveAs: name)
                let id = DownloadID(state.sequence.next)
                state.apply(Fact.enqueued(order, rank: Fixture.rank(number)).recorded(after: state.sequence))
                let found = Event.found(Fixture.identity(), sha256: Fixture.digest(), path: "/data/" + name)
                state.apply(Fact.about(id, found).recorded(after: state.sequence))
                #expect(state.owner(of: "/data/" + name) == id)
            }
            #expect(state.owner(of: "/data/" + one) == 1)
        }
    #endif

    @Test func `who names the file as it is called already, and who leaves it its name, join`() throws {
        var queue = Queue()
        queue.apply(Self.first.recorded(after: queue.sequence))
        func joined(_ order: Order) throws -> DownloadID? {
            try queue.decide(.enqueue(order, priority: 0, again: false), at: Fixture.now).joined
        }
        #expect(try joined(Fixture.order(saveAs: "file.iso")) == nil, "the origin may call it otherwise")
        queue.apply(Fact.about(1, .resolved(Fixture.origin(), generation: 1)).recorded(after: queue.sequence))
        #expect(try joined(Fixture.order(saveAs: "file.iso")) == 1)
        #expect(try joined(Fixture.order(saveAs: "mine.iso")) == nil)
        let found = Event.found(Fixture.identity(), sha256: Fixture.digest(), path: "/data/file (1).iso")
        queue.apply(Fact.about(1, found).recorded(after: queue.sequence))
        #expect(try joined(Fixture.order(saveAs: "file.iso")) == nil)
        #expect(try joined(Fixture.order(saveAs: "file (1).iso")) == 1)
        var named = Queue()
        named.apply(Fact.enqueued(Fixture.order(saveAs: "file.iso"), rank: Fixture.rank(1)).recorded(after: .zero))
        #expect(try named.decide(Self.enqueue, at: Fixture.now).joined == 1)
    }

    @Test func `other secrets are another download`() {
        var order = Self.order
        order.secret = SecretReference([UInt8](repeating: 1, count: 16))
        #expect(
            decided(PhaseCase.queued.queue, .enqueue(order, priority: 0, again: false))
                == adds(.enqueued(order, priority: 0, rank: Fixture.rank(2))))
    }

    @Test func `labels and options do not make another download`() {
        let order = Fixture.order(notBefore: Fixture.now.advanced(by: .seconds(9)), group: "films")
        Scenario(Queue.self).given(Self.first).when(.enqueue(order, priority: 9, again: false)).joined(1)
    }

    /// What the first order and the second say about a taken name, and whether the second joins the first while it is
    /// live, once it is completed, and once it was cancelled.
    static let wishes: [(Destination.Collision, Destination.Collision, joins: [Bool])] = [
        (.skip, .overwrite, [false, false, false]), (.skip, .number, [false, false, false]),
        (.number, .overwrite, [false, false, false]), (.overwrite, .number, [false, false, false]),
        (.number, .skip, [true, true, false]), (.overwrite, .skip, [true, true, false]),
        (.skip, .skip, [true, true, true]), (.overwrite, .overwrite, [true, true, true]),
    ]

    @Test(arguments: wishes.indices) func `what an order says about a taken name is heeded`(_ row: Int) throws {
        let (earlier, later, joins) = Self.wishes[row]
        let ends: [[Event]] = [[], [.found(Fixture.identity(), sha256: Fixture.digest(), path: "/p")], [.cancelled]]
        for (events, isJoined) in zip(ends, joins) {
            var queue = Queue()
            let first = Fact.enqueued(Fixture.order(on: earlier), rank: Fixture.rank(1))
            for fact in [first] + events.map({ Fact.about(1, $0) }) {
                queue.apply(fact.recorded(after: queue.sequence))
            }
            let decision = try queue.decide(
                .enqueue(Fixture.order(on: later), priority: 0, again: false), at: Fixture.now)
            #expect((decision.joined == 1) == isJoined, "\(earlier), then \(later), after \(events)")
            #expect(isJoined || decision.events.map(\.event.kind) == [.enqueued])
        }
    }

    /// An order for another URL into the file of ``Fixture/order(_:host:directory:saveAs:on:notBefore:group:)``.
    private static func order(_ name: String, expected: Digest? = nil) -> Order {
        var order = Fixture.order(name, saveAs: "mine.iso")
        order.expected = expected
        return order
    }

    static let lives: [[Event]] = [
        [], [.paused], [.failed(Fixture.lost, retryAt: Fixture.now)], Array(PhaseCase.verified),
    ]

    @Test(arguments: lives.indices) func `a file that a live download writes has no second writer`(_ row: Int) {
        let first = Fact.enqueued(Self.order("a.iso"), rank: Fixture.rank(1))
        let queue = Scenario(Queue.self).given([first] + Self.lives[row].map { Fact.about(1, $0) })
        queue.when(.enqueue(Self.order("b.iso"), priority: 0, again: false)).joined(1)
        queue.when(.refresh(Self.order("b.iso"), priority: 0)).joined(1)
        // Who asks for certain bytes is not told that others are those.
        let certain = Self.order("b.iso", expected: Fixture.digest(3))
        queue.when(.enqueue(certain, priority: 0, again: false))
            .refused(.destinationTaken(path: "/data/mine.iso", by: 1))
        queue.when(.enqueue(Self.order("a.iso"), priority: 0, again: false)).joined(1)
    }

    @Test func `who is known to an origin is not joined in a file to who is not`() {
        let queue = Scenario(Queue.self).given(.enqueued(Self.order("a.iso"), rank: Fixture.rank(1)))
        var named = Self.order("a.iso")
        named.secret = SecretReference([UInt8](repeating: 1, count: 16))
        queue.when(.enqueue(named, priority: 0, again: false))
            .refused(.destinationTaken(path: "/data/mine.iso", by: 1))
        var options = named.options.value
        options.headerNames = ["cookie"]
        named.options = Shared(options)
        queue.when(.enqueue(named, priority: 0, again: false))
            .refused(.destinationTaken(path: "/data/mine.iso", by: 1))
        // Another ticket in the query is for the same file.
        var signed = Self.order("a.iso?token=REDACTED")
        signed.secret = SecretReference([UInt8](repeating: 2, count: 16))
        queue.when(.enqueue(signed, priority: 0, again: false)).joined(1)
    }

    @Test func `the same bytes into the same file are one download, wherever they come from`() {
        let sum = Fixture.digest(3)
        let queue = Scenario(Queue.self).given(.enqueued(Self.order("a.iso", expected: sum), rank: Fixture.rank(1)))
        queue.when(.enqueue(Self.order("b.iso", expected: sum), priority: 0, again: false)).joined(1)
        queue.when(.enqueue(Self.order("b.iso", expected: Fixture.digest(4)), priority: 0, again: false))
            .refused(.destinationTaken(path: "/data/mine.iso", by: 1))
    }

    @Test func `a finished file that has the digest asked for is that file`() {
        let found = Event.found(Fixture.identity(), sha256: Fixture.digest(3), path: "/data/mine.iso")
        let queue = Scenario(Queue.self).given(
            .enqueued(Self.order("a.iso"), rank: Fixture.rank(1)), .about(1, found))
        queue.when(.enqueue(Self.order("a.iso", expected: Fixture.digest(3)), priority: 0, again: false)).joined(1)
    }

    @Test(arguments: [false, true]) func `who has a file checked or unpacked does not join what is not`(
        isFinished: Bool
    ) throws {
        let found = Event.found(Fixture.identity(), sha256: Fixture.digest(3), path: "/data/file.iso")
        var queue = Queue()
        for fact in [Fact.enqueued(Self.order, rank: Fixture.rank(1))] + (isFinished ? [.about(1, found)] : []) {
            queue.apply(fact.recorded(after: queue.sequence))
        }
        func joins(_ change: (inout TransferOptions) -> Void) throws -> Bool {
            var (order, options) = (Self.order, TransferOptions())
            change(&options)
            order.options = Shared(options)
            return try queue.decide(.enqueue(order, priority: 0, again: false), at: Fixture.now).joined == 1
        }
        #expect(try joins { _ in })
        #expect(try !joins { $0.checksumFile = ResourceURL(recorded: "http://example.org/sums") })
        #expect(try !joins { $0.decompresses = true })
        // Of the finished one, too, nobody stated the type.
        #expect(try !joins { $0.expectedType = "video/*" })
    }

    @Test func `what is there comes before what failed since under another check`() throws {
        let found = Event.found(Fixture.identity(), sha256: Fixture.digest(3), path: "/data/file.iso")
        var (checked, options) = (Self.order, TransferOptions())
        options.checksumFile = ResourceURL(recorded: "http://example.org/sums")
        checked.options = Shared(options)
        var queue = Queue()
        for fact in [
            Fact.enqueued(Self.order, rank: Fixture.rank(1)), .about(1, found),
            .enqueued(checked, rank: Fixture.rank(2)), .about(3, .failed(Fixture.lost, retryAt: nil)),
        ] { queue.apply(fact.recorded(after: queue.sequence)) }
        for (order, id) in [(Self.order, 1), (checked, 3)] as [(Order, DownloadID)] {
            #expect(try queue.decide(.enqueue(order, priority: 0, again: false), at: Fixture.now).joined == id)
        }
    }

    @Test func `a file whose writer has ended is free, and that one is not tried again beside the next`() throws {
        let ended = Scenario(Queue.self).given(
            .enqueued(Self.order("a.iso"), rank: Fixture.rank(1)), .about(1, .failed(Fixture.lost, retryAt: nil)))
        let next = Command.enqueue(Self.order("b.iso"), priority: 0, again: false)
        let both = ended.when(next).recorded(.enqueued(Self.order("b.iso"), rank: Fixture.rank(2))) {
            $0[3] = Download(
                id: 3, order: Self.order("b.iso"), phase: .queued, priority: 0, rank: Fixture.rank(2),
                addedAt: Fixture.now)
        }
        both.when(.retry(1)).refused(.destinationTaken(path: "/data/mine.iso", by: 3))
        both.when(.enqueue(Self.order("a.iso"), priority: 0, again: false))
            .refused(.destinationTaken(path: "/data/mine.iso", by: 3))
    }

    @Test func `asked for again on purpose it gets a name of its own`() throws {
        var queue = Queue()
        queue.apply(Fact.enqueued(Self.order("a.iso"), rank: Fixture.rank(1)).recorded(after: queue.sequence))
        let decision = try queue.decide(.enqueue(Self.order("b.iso"), priority: 0, again: true), at: Fixture.now)
        #expect(decision.joined == nil && decision.events.map(\.event.kind) == [.enqueued])
    }

    @Test func `asking for what failed tries it again`() {
        Scenario(Queue.self).given(Self.first, .about(1, .failed(Fixture.lost, retryAt: nil)))
            .when(Self.enqueue).joined(1, .about(1, .retried)) {
                $0[1]?.phase = .queued
                $0[1]?.failure = nil
                $0[1]?.failuresInRow = 0
                $0[1]?.epoch = 2
            }
    }

    @Test func `by hand it has all retries again, however often its file was begun anew`() {
        var (begun, fresh) = (Fixture.origin(), Fixture.origin())
        (begun.beginnings, fresh.beginnings) = (5, 0)
        Scenario(Queue.self)
            .given(
                Self.first, .about(1, .resolved(begun, generation: 6)), .about(1, .failed(Fixture.lost, retryAt: nil))
            )
            .when(.retry(1)).recorded(.about(1, .retried)) {
                $0[1]?.phase = .queued
                $0[1]?.failure = nil
                $0[1]?.failuresInRow = 0
                $0[1]?.origin = Shared(fresh)
                $0[1]?.epoch = 2
            }
    }

    @Test func `what failed is tried again as it is asked for now`() throws {
        var queue = Queue()
        let labelled = Fixture.order(group: "films")
        for fact in [Fact.enqueued(labelled, rank: Fixture.rank(1)), .about(1, .failed(Fixture.lost, retryAt: nil))] {
            queue.apply(fact.recorded(after: queue.sequence))
        }
        var order = Self.order
        var options = order.options.value
        options.certificateAuthorityFile = "/ca.pem"
        order.options = Shared(options)
        let decision = try queue.decide(.enqueue(order, priority: 0, again: false), at: Fixture.now)
        order.labels = labelled.labels
        #expect(decision == Decision([.init(1, .retried), .init(1, .changed(order))], joined: 1))
    }

    @Test func `who has certificates checked does not join what comes without`() throws {
        var insecure = Self.order
        var options = insecure.options.value
        options.isInsecure = true
        insecure.options = Shared(options)
        Scenario(Queue.self).given(.enqueued(insecure, rank: Fixture.rank(1))).when(Self.enqueue)
            .refused(.unchecked(by: 1))
        Scenario(Queue.self).given(Self.first).when(.enqueue(insecure, priority: 0, again: false)).joined(1)
    }

    @Test func `after again the newest is joined`() {
        Scenario(Queue.self).given(Self.first, Self.second).when(Self.enqueue).joined(2)
    }

    @Test func `when the newest is deleted the one before it is joined`() {
        Scenario(Queue.self).given(Self.first, Self.second, .about(2, .deleted(.purge))).when(Self.enqueue).joined(1)
    }

    @Test func `when the newest is changed to something else the one before it is joined`() {
        Scenario(Queue.self).given(Self.first, Self.second, .about(2, .changed(Fixture.order("b"))))
            .when(Self.enqueue).joined(1)
    }

    @Test func `a deleted download is not joined, and is again once it is restored`() {
        let deleted = Scenario(Queue.self).given(Self.first, .about(1, .deleted(.keepFile)))
        deleted.when(Self.enqueue).recorded(.enqueued(Self.order, rank: Fixture.rank(2))) {
            $0[3] = Download(
                id: 3, order: Self.order, phase: .queued, priority: 0, rank: Fixture.rank(2), addedAt: Fixture.now)
        }
        deleted.given(.about(1, .restored(undoing: 2))).when(Self.enqueue).joined(1)
    }

    @Test func `an order that no record could hold is refused, new or changed`() {
        var long = Fixture.order("b")
        long.labels = Shared(Labels(details: String(repeating: "x", count: Order.textBytesMax)))
        let refusal = Rejection.orderTooLarge(bytes: long.textBytes, max: Order.textBytesMax)
        let queue = Scenario(Queue.self).given(Self.first)
        queue.when(.enqueue(long, priority: 0, again: true)).refused(refusal)
        var longer = Fixture.order()
        longer.url = ResourceURL(recorded: "http://example.org/" + String(repeating: "x", count: Order.textBytesMax))
        queue.when(.change(1, Fixture.change { $0.source = .init(url: longer.url) }))
            .refused(.orderTooLarge(bytes: longer.textBytes, max: Order.textBytesMax))
    }

    @Test func `a full queue refuses what is new and still lets others join`() {
        let full = Scenario(Queue.self).given(Self.first).under(Limits(queuedDownloadsMax: 1))
        full.when(.enqueue(Fixture.order("b"), priority: 0, again: false)).refused(.queueFull(max: 1))
        full.when(Self.enqueue).joined(1)
        full.given(.about(1, .cancelled)).when(.enqueue(Fixture.order("b"), priority: 0, again: false))
            .recorded(.enqueued(Fixture.order("b"), rank: Fixture.rank(2))) {
                $0[3] = Download(
                    id: 3, order: Fixture.order("b"), phase: .queued, priority: 0, rank: Fixture.rank(2),
                    addedAt: Fixture.now)
            }
    }
}
