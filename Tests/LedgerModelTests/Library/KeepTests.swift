import LedgerModel
import LedgerTestSupport
import Testing

/// What a group may hold, and what goes when it holds more.
struct KeepTests {
    /// A state of finished files of 1,000 bytes in the group "radio", one for each age, the first the oldest.
    private func holding(files: Int, then commands: [Command] = []) throws -> LedgerState {
        try holding(lengths: Array(repeating: 1000, count: files), then: commands)
    }

    /// The same of files of these lengths.
    private func holding(lengths: [UInt64], then commands: [Command]) throws -> LedgerState {
        var state = LedgerState()
        for (index, length) in lengths.enumerated() {
            try run(.enqueue(Fixture.order("\(index).mp3", group: "radio"), priority: 0, again: false), &state, index)
            try finish(&state, index, length)
        }
        for command in commands { try run(command, &state, lengths.count) }
        return state
    }

    /// Has the last download fetched.
    private func finish(_ state: inout LedgerState, _ index: Int, _ length: UInt64 = 1000) throws {
        let id = try #require(state.queue.downloads.last?.id)
        let lease = try #require(state.queue[id]).lease
        let identity = Fixture.identity(length: length, inode: UInt64(index))
        try run(.report(lease, [.resolved(Fixture.origin(), generation: 1)]), &state, index)
        try run(
            .report(lease, [.verified(length: length, sha256: Fixture.digest(), path: "/data/\(index)")]), &state, index
        )
        try run(.report(lease, [.completed(identity)]), &state, index)
    }

    /// Has a feed of the group "radio" followed that enqueues by itself, and all of its entries fetched, the files
    /// being numbered; the last entry is the newest.
    @discardableResult
    private func follow(
        _ name: String, keeping newest: UInt32?, entries: [String], from index: Int, _ state: inout LedgerState
    ) throws -> ListingID {
        var listing = Listing(kind: .feed, source: .file("/\(name).xml"), directory: "/data")
        (listing.isAutomatic, listing.newestMax, listing.group) = (true, newest, "radio")
        let id = state.sequence.next
        try run(.library(.follow(listing)), &state, index)
        let offered = entries.enumerated().map { place, guid in
            var entry = ListedEntry(guid: guid, url: ResourceURL(recorded: "http://x/\(guid)"))
            entry.published = Fixture.now.advanced(by: .seconds(Int64(index + place) * 60))
            return entry
        }
        let refresh = Refresh(nextAt: Fixture.now.advanced(by: .seconds(360_000)))
        try run(.library(.refresh(id, offered, refresh)), &state, index)
        for (place, entry) in offered.enumerated() {
            let order = Order(
                url: entry.url, destination: Destination(directory: "/data", name: nil),
                labels: Shared(Labels(group: "radio", identifier: entry.guid, published: entry.published)))
            try run(.library(.take(id, guid: entry.guid, order, again: false)), &state, index + place)
            try finish(&state, index + place)
        }
        return id
    }

    private func run(_ command: Command, _ state: inout LedgerState, _ minutes: Int) throws {
        let now = Fixture.now.advanced(by: .seconds(Int64(minutes) * 60))
        for proposed in try state.decide(command, at: now).events {
            state.apply(proposed.recorded(after: state.sequence, at: now))
        }
    }

    private func evicted(_ state: LedgerState) -> [String] {
        state.libraryPlan(at: Fixture.now).evict.compactMap { state.queue[$0]?.file?.value.path }
    }

    private func limit(_ newest: UInt32?, _ bytes: UInt64?) -> Command {
        .library(.limit(group: "radio", GroupLimits(newestMax: newest, sizeBytesMax: bytes)))
    }

    private func id(_ index: Int) -> DownloadID { DownloadID(UInt64(index * 4 + 1)) }

    @Test func `all but the newest go`() throws {
        #expect(evicted(try holding(files: 4, then: [limit(2, nil)])) == ["/data/1", "/data/0"])
        #expect(evicted(try holding(files: 2, then: [limit(2, nil)])) == [])
        #expect(evicted(try holding(files: 4, then: [limit(2, nil), limit(nil, nil)])) == [])
    }

    @Test func `what is older than its group keeps is named, pinned ones are not`() throws {
        let all = (0..<4).map(id)
        for newest in [UInt32](1...5) {
            let state = try holding(files: 4, then: [limit(newest, nil)])
            #expect(state.tooOld(among: all) == Array(all.prefix(max(0, 4 - Int(newest)))))
        }
        #expect(try holding(files: 4, then: [limit(2, nil), .pin(id(0), true)]).tooOld(among: all) == [id(1)])
        #expect(try holding(files: 4).tooOld(among: all) == [])
    }

    @Test func `a feed lets go of files of its own, and of no others in its group`() throws {
        var state = try holding(files: 2)
        let first = try follow("first", keeping: 1, entries: ["a", "b", "c"], from: 2, &state)
        #expect(evicted(state) == ["/data/2", "/data/3"])
        try follow("second", keeping: 2, entries: ["d", "e", "f"], from: 5, &state)
        #expect(evicted(state) == ["/data/2", "/data/3", "/data/5"], "each keeps its own")
        let all = state.queue.downloads.map(\.id)
        #expect(state.tooOld(among: all) == [all[2], all[3], all[5]])
        try run(.pin(all[2], true), &state, 8)
        #expect(evicted(state) == ["/data/3", "/data/5"] && state.tooOld(among: all) == [all[3], all[5]])
        var (own, change) = (state, OrderChange())
        change.labels.group = .set("mine")
        try run(.change(all[3], change), &own, 8)
        #expect(evicted(own) == ["/data/5"], "what was put into another group is somebody's own")
        try run(.library(.unfollow(first)), &state, 8)
        #expect(evicted(state) == ["/data/5"], "what was downloaded stays")
        try run(limit(3, nil), &state, 8)
        #expect(
            evicted(state) == ["/data/5", "/data/3", "/data/1", "/data/0"],
            "what the feed keeps holds, and then what was said of the group, but for what is pinned")
    }

    @Test func `what two feeds have stays while one of them keeps it`() throws {
        var state = LedgerState()
        try follow("first", keeping: 1, entries: ["a", "b"], from: 0, &state)
        #expect(evicted(state) == ["/data/0"])
        var listing = Listing(kind: .feed, source: .file("/all.xml"), directory: "/data")
        (listing.isAutomatic, listing.group) = (true, "radio")
        let id = state.sequence.next
        try run(.library(.follow(listing)), &state, 3)
        let entry = ListedEntry(guid: "a", url: ResourceURL(recorded: "http://x/a"))
        try run(.library(.refresh(id, [entry], Refresh(nextAt: Fixture.now))), &state, 3)
        let order = try #require(state.queue.downloads.map(\.self).first).order
        try run(.library(.take(id, guid: "a", order, again: false)), &state, 3)
        #expect(evicted(state) == [])
    }

    @Test func `a file that another feed has under another name stays while that one keeps it`() throws {
        var state = LedgerState()
        try follow("first", keeping: 1, entries: ["a", "b"], from: 0, &state)
        var listing = Listing(kind: .feed, source: .file("/all.xml"), directory: "/data")
        (listing.isAutomatic, listing.group) = (true, "radio")
        let id = state.sequence.next
        try run(.library(.follow(listing)), &state, 3)
        let entry = ListedEntry(guid: "other", url: ResourceURL(recorded: "http://x/a"))
        try run(.library(.refresh(id, [entry], Refresh(nextAt: Fixture.now))), &state, 3)
        let order = Order(
            url: entry.url, destination: Destination(directory: "/data", name: nil),
            labels: Shared(Labels(group: "radio", identifier: "other")))
        try run(.library(.take(id, guid: "other", order, again: false)), &state, 3)
        #expect(state.queue.downloads.count == 2 && evicted(state) == [])
    }

    @Test func `what would go at once is not fetched for a group that keeps the newest`() throws {
        var state = try holding(files: 2, then: [limit(2, nil)])
        var listing = Listing(kind: .feed, source: .file("/feed.xml"), directory: "/data")
        (listing.isAutomatic, listing.group) = (true, "radio")
        let id = state.sequence.next
        try run(.library(.follow(listing)), &state, 3)
        let entries = [-60, 90, 300].map { seconds in
            var entry = ListedEntry(guid: "\(seconds)", url: ResourceURL(recorded: "http://x/\(seconds)"))
            entry.published = Fixture.now.advanced(by: .seconds(seconds))
            return entry
        }
        let refresh = Refresh(nextAt: Fixture.now.advanced(by: .seconds(3600)))
        try run(.library(.refresh(id, entries, refresh)), &state, 3)
        #expect(state.libraryPlan(at: Fixture.now).take.map(\.entry.guid) == ["300", "90"])
    }

    @Test func `beyond a size the least recently used go first`() throws {
        let used: [Command] = [.use(id(0)), limit(nil, 2000)]
        #expect(evicted(try holding(files: 4, then: used)) == ["/data/1", "/data/2"])
        #expect(evicted(try holding(files: 4, then: [limit(3, 1999)])) == ["/data/0", "/data/1", "/data/2"])
    }

    @Test func `a file that is larger than the size takes no other with it`() throws {
        #expect(evicted(try holding(lengths: [1000, 5000, 1000], then: [limit(nil, 2000)])) == ["/data/1"])
        #expect(evicted(try holding(lengths: [1000, 1000, 5000], then: [limit(nil, 1500)])) == ["/data/2", "/data/0"])
    }

    @Test func `a file that is not there takes no room`() throws {
        let lost: [Command] = [.observe(id(1), .missing), .observe(id(2), .missing), limit(nil, 2500)]
        let state = try holding(files: 4, then: lost)
        #expect(evicted(state) == [])
        #expect(state.catalog.groups["radio"]?.files == 2 && state.catalog.groups["radio"]?.bytes == 2000)
    }

    @Test func `a file that takes the place of another's leaves that one missing`() throws {
        var state = try holding(files: 2, then: [limit(2, nil)])
        try run(.enqueue(Fixture.order("2.mp3", group: "radio"), priority: 0, again: false), &state, 2)
        let last = try #require(state.queue.downloads.last)
        try run(.report(last.lease, [.resolved(Fixture.origin(), generation: 1)]), &state, 2)
        try run(
            .report(last.lease, [.verified(length: 1000, sha256: Fixture.digest(2), path: "/data/1")]), &state, 2)
        let completed = Report.completed(Fixture.identity(length: 1000, inode: 9))
        let decision = try state.decide(.report(last.lease, [completed]), at: Fixture.now)
        #expect(decision.events.map(\.event.kind) == [.completed, .missing])
        #expect(decision.events.map(\.id) == [last.id, id(1)])
        try run(.report(last.lease, [completed]), &state, 2)
        #expect(state.queue[id(1)]?.phase == .missing && state.queue[last.id]?.phase == .completed)
        #expect(evicted(state) == [])

        // Of one whose deletion was undone nobody but the disk can tell whether its file is back yet.
        var restored = try holding(files: 2, then: [.delete(id(1), .trash(path: "/trash/1")), .undo(nil)])
        try run(.enqueue(Fixture.order("2.mp3", group: "radio"), priority: 0, again: false), &restored, 2)
        let next = try #require(restored.queue.downloads.last)
        try run(.report(next.lease, [.resolved(Fixture.origin(), generation: 1)]), &restored, 2)
        try run(
            .report(next.lease, [.verified(length: 1000, sha256: Fixture.digest(2), path: "/data/1")]), &restored, 2)
        let alone = try restored.decide(.report(next.lease, [completed]), at: Fixture.now)
        #expect(alone.events.map(\.event.kind) == [.completed])
    }

    @Test func `what is pinned stays, and counts`() throws {
        #expect(evicted(try holding(files: 3, then: [.pin(id(0), true), limit(1, nil)])) == ["/data/1"])
        #expect(evicted(try holding(files: 3, then: [.pin(id(0), true), limit(nil, 1000)])) == ["/data/1", "/data/2"])
        let unpinned: [Command] = [.pin(id(0), true), .pin(id(0), false), limit(2, nil)]
        #expect(evicted(try holding(files: 3, then: unpinned)) == ["/data/0"])
        let pinned = try holding(files: 1, then: [.pin(id(0), true)])
        #expect(throws: Rejection.notEvictable(id(0))) { try pinned.decide(.delete(id(0), .evicted), at: Fixture.now) }
    }

    @Test func `an eviction is final, and another group is no concern`() throws {
        let gone = try holding(files: 2, then: [.delete(id(0), .evicted)])
        #expect(gone.queue[id(0)]?.deletion?.value == .evicted)
        #expect(throws: Rejection.self) { try gone.decide(.undo(nil), at: Fixture.now) }
        let other = Command.library(.limit(group: "films", GroupLimits(newestMax: 1)))
        #expect(evicted(try holding(files: 3, then: [other])) == [])
    }

    @Test func `a limit that would evict every file, or is of a group without a name, is refused`() throws {
        let state = try holding(files: 2)
        for command in [limit(0, nil), limit(nil, 0), limit(0, 1000), limit(2, 0)] {
            #expect(throws: Rejection.badLimit("it keeps no file at all")) {
                try state.decide(command, at: Fixture.now)
            }
        }
        #expect(throws: Rejection.badLimit("the group has no name")) {
            try state.decide(.library(.limit(group: "", GroupLimits(newestMax: 2))), at: Fixture.now)
        }
        #expect(try state.decide(.library(.limit(group: "", GroupLimits())), at: Fixture.now).events == [])
    }

    @Test func `use is recorded once a minute`() throws {
        let state = try holding(files: 1, then: [.use(id(0))])
        let at = Fixture.now.advanced(by: .seconds(60))
        #expect(try state.decide(.use(id(0)), at: at.advanced(by: .seconds(59))).events == [])
        #expect(try state.decide(.use(id(0)), at: at.advanced(by: .seconds(60))).events == [.init(id(0), .used)])
    }
}
