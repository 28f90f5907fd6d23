import LedgerModel
import LedgerTestSupport
import Testing

/// A directory that was moved as a whole: what of a download stood in it is looked for where it is now.
struct RelocateTests {
    private static let away = Relocation(from: "/data", to: "/mnt/data")

    static let paths: [(from: String, to: String, path: String, moved: String?)] = [
        ("/a", "/b", "/a", "/b"), ("/a", "/b", "/a/x/y", "/b/x/y"), ("/a", "/b/c", "/a/x", "/b/c/x"),
        ("/a/b", "/", "/a/b/x", "/x"), ("/a/b", "/", "/a/b", "/"), ("/", "/b", "/x", "/b/x"), ("/", "/b", "/", "/b"),
        ("/a", "/b", "/ab/x", nil), ("/a", "/b", "/x/a", nil), ("/a/b", "/c", "/a", nil),
        // Two ways to write a letter are two names to a disk.
        ("/e\u{301}", "/b", "/\u{e9}/x", nil), ("/e\u{301}", "/b", "/e\u{301}/x", "/b/x"),
        // A slash with a combining mark is a slash to a disk.
        ("/a", "/b", "/a/\u{301}x", "/b/\u{301}x"),
    ]

    @Test(arguments: paths) func `a path`(from: String, to: String, path: String, moved: String?) {
        #expect(Relocation(from: from, to: to).moved(path).map { Array($0.utf8) } == moved.map { Array($0.utf8) })
    }

    @Test func `two directories are taken as they are written, and one in the other is refused`() throws {
        #expect(try Relocation.parse(from: "/a/./b/", to: "/c/../d") == Relocation(from: "/a/b", to: "/d"))
        for (from, to) in [("/a", "/a"), ("/a", "/a/b"), ("/a/b", "/a"), ("/", "/a"), ("/a", "/")] {
            #expect(throws: DestinationProblem.nested(from, to)) { try Relocation.parse(from: from, to: to) }
        }
        #expect(throws: DestinationProblem.notAbsolute("a")) { try Relocation.parse(from: "a", to: "/b") }
    }

    @Test func `in every phase`() {
        PhaseRow(.relocate(1, Self.away), does(.relocated(Self.away))).check()
        PhaseRow(.relocate(1, Self.away.inverse), does()).check()
        PhaseRow(.relocate(2, Self.away), no(.notFound(2))).check()
    }

    @Test(arguments: PhaseCase.allCases) func `a download stays what it is, elsewhere`(_ phase: PhaseCase) throws {
        var queue = phase.queue
        var expected = try #require(queue[1])
        queue.apply(Fact.about(1, .relocated(Self.away)).recorded(after: queue.sequence))
        expected.order.destination = Destination(directory: "/mnt/data", name: nil)
        if var file = expected.file?.value {
            file.path = "/mnt/data/file.iso"
            expected.file = Shared(file)
        }
        // Whoever works on it begins anew there.
        if expected.phase.isLive { expected.epoch += 1 }
        #expect(queue[1] == expected)
        #expect(queue.invariantViolation() == nil)
        #expect(decided(queue, .undo(queue.sequence)) == no(.notUndoable(queue.sequence)))
        queue.apply(Fact.about(1, .relocated(Self.away.inverse)).recorded(after: queue.sequence))
        #expect(queue[1]?.order == phase.queue[1]?.order)
        #expect(queue[1]?.file == phase.queue[1]?.file)
    }

    @Test func `what is known of the file before, and of the trash, goes along`() throws {
        let trash = Deletion.trash(path: "/data/.ledger-trash/1-file.iso")
        var queue = queue(PhaseCase.finished + [.rechecked, .deleted(trash), .relocated(Self.away)])
        #expect(queue[1]?.deletion?.value == .trash(path: "/mnt/data/.ledger-trash/1-file.iso"))
        queue = self.queue(PhaseCase.finished + [.rechecked, .relocated(Self.away)])
        #expect(queue[1]?.shownFile?.path == "/mnt/data/file.iso")
        queue = self.queue(PhaseCase.finished + [.deleted(.expired(path: "/elsewhere/1")), .relocated(Self.away)])
        #expect(queue[1]?.deletion?.value == .expired(path: "/elsewhere/1"))
    }

    @Test func `a file that stands elsewhere than new ones are to go is followed all the same`() {
        let found = Event.found(Fixture.identity(), sha256: Fixture.digest(), path: "/old/file.iso")
        let fromOld = Relocation(from: "/old", to: "/new")
        let queue = queue([.resolved(Fixture.origin(), generation: 1), found, .relocated(fromOld)])
        #expect(queue[1]?.file?.value.path == "/new/file.iso")
        #expect(queue[1]?.order.destination.directory == "/data")
    }

    @Test func `undoing a change does not bring back where the directory was`() throws {
        var queue = queue([.changed(Fixture.order("b")), .relocated(Self.away)])
        #expect(decided(queue, .undo(nil)) == does(.restored(undoing: 2)))
        queue.apply(Fact.about(1, .restored(undoing: 2)).recorded(after: queue.sequence))
        #expect(queue[1]?.order.url == Fixture.order().url)
        #expect(queue[1]?.order.destination.directory == "/mnt/data")
        // Of a finished one, only labels are changed, and undone.
        queue = self.queue(PhaseCase.finished + [.changed(Fixture.order(group: "films")), .relocated(Self.away)])
        #expect(decided(queue, .undo(nil)) == does(.restored(undoing: 5)))
    }

    @Test func `what another download writes there stays its own`() {
        var queue = Queue()
        for order in [Fixture.order(saveAs: "x"), Fixture.order("b", directory: "/mnt/data", saveAs: "x")] {
            queue.apply(Fact.enqueued(order, rank: Fixture.rank(1)).recorded(after: queue.sequence))
        }
        #expect(decided(queue, .relocate(1, Self.away)) == no(.destinationTaken(path: "/mnt/data/x", by: 2)))
        queue.apply(Fact.about(2, .cancelled).recorded(after: queue.sequence))
        #expect(decided(queue, .relocate(1, Self.away)) == does(.relocated(Self.away)))
    }

    @Test func `the finished file of another download is not taken for it`() throws {
        var state = LedgerState()
        let finished = PhaseCase.finished
        let elsewhere = finished.map { event in
            guard case .verified(let length, let sha256, _) = event else { return event }
            return Event.verified(length: length, sha256: sha256, path: "/mnt/data/file.iso")
        }
        state.apply(Fact.enqueued(Fixture.order(), rank: Fixture.rank(1)).recorded(after: state.sequence))
        state.apply(Fact.enqueued(Fixture.order("b"), rank: Fixture.rank(2)).recorded(after: state.sequence))
        for event in finished { state.apply(Fact.about(1, event).recorded(after: state.sequence)) }
        for event in elsewhere { state.apply(Fact.about(2, event).recorded(after: state.sequence)) }
        #expect(throws: Rejection.destinationTaken(path: "/mnt/data/file.iso", by: 2)) {
            try state.decide(.relocate(1, Self.away), at: Fixture.now)
        }
        state.apply(Fact.about(2, .missing).recorded(after: state.sequence))
        let decision = try state.decide(.relocate(1, Self.away), at: Fixture.now)
        #expect(decision.events == [.init(1, .relocated(Self.away))])
    }

    @Test func `a path that is too long is refused`() {
        let long = Relocation(from: "/data", to: "/" + String(repeating: "x", count: Order.textBytesMax))
        guard case .failure(.orderTooLarge) = decided(queue([]), .relocate(1, long)) else {
            Issue.record("it was not refused")
            return
        }
    }

    /// What a server named is looked at step by step; what the owner of the machine names is not.
    @Test func `directories that a server named stay those behind the one that was moved`() {
        var order = Fixture.order(directory: "/data/a/b")
        var options = order.options.value
        options.namedComponents = 2
        order.options = Shared(options)
        for (from, named) in [("/data", UInt32(2)), ("/data/a", 1), ("/data/a/b", 0)] {
            var queue = Queue()
            queue.apply(Fact.enqueued(order, rank: Fixture.rank(1)).recorded(after: queue.sequence))
            let event = Event.relocated(Relocation(from: from, to: "/mnt"))
            queue.apply(Fact.about(1, event).recorded(after: queue.sequence))
            #expect(queue[1]?.order.options.value.namedComponents == named)
        }
    }

    @Test func `feeds and catalogs go by where their directory is`() throws {
        var state = LedgerState()
        let file = Listing(kind: .catalog, source: .file("/data/list.json"), directory: "/data/films")
        let other = Listing(kind: .feed, source: .file("/other/list.xml"), directory: "/other")
        for listing in [file, other] {
            state.apply(
                Fact.log(.library(.followed(listing, replacing: nil))).recorded(after: state.sequence))
        }
        let decision = try state.decide(.library(.relocate(Self.away)), at: Fixture.now)
        var moved = file
        (moved.directory, moved.source) = ("/mnt/data/films", .file("/mnt/data/list.json"))
        #expect(decision.events == [.init(nil, .library(.followed(moved, replacing: 1)))])
    }

    private func queue(_ events: [Event]) -> Queue {
        var queue = Queue()
        for fact in [Fact.enqueued(Fixture.order(), rank: Fixture.rank(1))] + events.map({ .about(1, $0) }) {
            queue.apply(fact.recorded(after: queue.sequence))
        }
        return queue
    }
}
