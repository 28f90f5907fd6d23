import LedgerModel
import LedgerTestSupport
import Testing

/// Feeds and catalogs: what is recorded of them, and what is enqueued by itself.
struct ListingTests {
    private static let feed = Listing(kind: .feed, source: .file("/feed.xml"), directory: "/data")
    private static let number = SequenceNumber(1)

    private func entry(_ number: Int, group: String? = nil, order: Int64? = nil) -> ListedEntry {
        var entry = ListedEntry(guid: "e\(number)", url: ResourceURL(recorded: "http://x/\(number).mp3"))
        entry.title = "Episode \(number)"
        entry.published = Fixture.start.advanced(by: .seconds(Int64(number)))
        (entry.group, entry.order) = (group, order)
        return entry
    }

    private func following(_ entries: [ListedEntry], as listing: Listing = feed) throws -> LedgerState {
        var state = LedgerState()
        try run(.follow(listing), &state)
        try read(entries, &state)
        return state
    }

    private func run(_ command: LibraryCommand, _ state: inout LedgerState) throws {
        for proposed in try state.decide(.library(command), at: Fixture.now).events {
            state.apply(proposed.recorded(after: state.sequence, at: Fixture.now))
        }
    }

    private func read(_ entries: [ListedEntry], _ state: inout LedgerState) throws {
        try run(.refresh(Self.number, entries, Refresh(nextAt: Fixture.now.advanced(by: .seconds(3600)))), &state)
    }

    private func take(_ guid: String, _ state: inout LedgerState, again: Bool = false) throws {
        let order = Order(
            url: ResourceURL(recorded: "http://x/\(guid)"), destination: Destination(directory: "/data", name: nil))
        try run(.take(Self.number, guid: guid, order, again: again), &state)
    }

    private func wanted(_ state: LedgerState) -> [String] {
        state.libraryPlan(at: Fixture.now).take.map(\.entry.guid)
    }

    @Test func `only what is new or was changed is recorded`() throws {
        var state = try following((1...3).map { entry($0) })
        var changed = entry(2)
        changed.title = "Another"
        let again = LibraryCommand.refresh(Self.number, [entry(1), changed, entry(4)], Refresh(nextAt: Fixture.now))
        let events = try state.decide(.library(again), at: Fixture.now).events.map(\.event)
        #expect(
            events == [
                .library(.listed(Self.number, [changed, entry(4)])),
                .library(.refreshed(Self.number, Refresh(nextAt: Fixture.now))),
            ])
        try read([entry(4)], &state)
        #expect(state.library.listings[Self.number]?.entries.count == 4, "what left a feed is remembered")
    }

    @Test func `a listing that was put off by a clock that was ahead is read now`() throws {
        var state = try following([])
        func isDue(after seconds: Int64) throws -> Bool {
            let refresh = Refresh(nextAt: Fixture.now.advanced(by: .seconds(seconds)))
            try run(.refresh(Self.number, nil, refresh), &state)
            return state.libraryPlan(at: Fixture.now).read == [Self.number]
        }
        let interval = Int64(Self.feed.intervalSeconds)
        #expect(try !isDue(after: 1))
        #expect(try !isDue(after: interval))
        #expect(try isDue(after: interval + 61))
        #expect(try isDue(after: 0))
    }

    @Test func `a failed refresh leaves what is known, and is counted`() throws {
        var state = try following([entry(1)])
        var refresh = Refresh(nextAt: Fixture.now)
        refresh.failure = Fixture.lost
        for _ in 0..<2 { try run(.refresh(Self.number, nil, refresh), &state) }
        let listing = try #require(state.library.listings[Self.number])
        #expect(listing.entries.count == 1 && listing.failure == Fixture.lost && listing.failuresInRow == 2)
        #expect(state.libraryPlan(at: Fixture.now).read == [Self.number])
        try read([entry(1)], &state)
        #expect(state.library.listings[Self.number]?.failuresInRow == 0)
    }

    @Test func `the newest are wanted, once for ever`() throws {
        var feed = Self.feed
        (feed.isAutomatic, feed.newestMax, feed.group) = (true, 2, "radio")
        var state = try following((1...5).map { entry($0) }, as: feed)
        #expect(wanted(state) == ["e5", "e4"])
        try take("e5", &state)
        #expect(wanted(state) == ["e4"])
        let id = try #require(state.library.listings[Self.number]?.entries["e5"]?.download)
        for proposed in try state.decide(.delete(id, .purge), at: Fixture.now).events {
            state.apply(proposed.recorded(after: state.sequence, at: Fixture.now))
        }
        #expect(wanted(state) == ["e4"], "what was deleted does not come back by itself")
        try take("e5", &state)
        #expect(state.queue.downloads.count == 1)
        try take("e5", &state, again: true)
        #expect(state.queue.downloads.count == 2, "asked for again it does")
    }

    @Test func `what is said to be longer than all that its group may hold is not wanted`() throws {
        var feed = Self.feed
        (feed.isAutomatic, feed.group) = (true, "radio")
        var entries = (1...4).map { entry($0) }
        for (place, length) in [UInt64(999), 1000, 1001].enumerated() { entries[place].length = length }
        var state = try following(entries, as: feed)
        #expect(wanted(state).count == 4)
        try run(.limit(group: "radio", GroupLimits(sizeBytesMax: 1000)), &state)
        #expect(wanted(state) == ["e4", "e2", "e1"])
    }

    @Test func `a feed that keeps less than its group may hold keeps that`() throws {
        var feed = Self.feed
        (feed.isAutomatic, feed.newestMax, feed.group) = (true, 2, "radio")
        var state = try following((1...5).map { entry($0) }, as: feed)
        try run(.limit(group: "radio", GroupLimits(newestMax: 4)), &state)
        #expect(wanted(state) == ["e5", "e4"])
        #expect(state.library.keepings.isEmpty, "nothing was taken yet")
        try take("e5", &state)
        #expect(state.library.keepings.map(\.newestMax) == [2])
    }

    @Test func `another feed of the group does not have what this one leaves out fetched`() throws {
        var feed = Self.feed
        (feed.isAutomatic, feed.newestMax, feed.group) = (true, 2, "radio")
        var state = try following((1...5).map { entry($0) }, as: feed)
        var other = Listing(kind: .feed, source: .file("/other.xml"), directory: "/data")
        other.group = "radio"
        let second = state.sequence.next
        try run(.follow(other), &state)
        let refresh = Refresh(nextAt: Fixture.now.advanced(by: .seconds(3600)))
        try run(.refresh(second, (6...9).map { entry($0) }, refresh), &state)
        #expect(wanted(state) == ["e5", "e4"], "from the other one nothing is fetched by itself")
        other.source = .file("/third.xml")
        (other.isAutomatic, other.newestMax) = (true, 3)
        let third = state.sequence.next
        try run(.follow(other), &state)
        try run(.refresh(third, (10...19).map { entry($0) }, refresh), &state)
        #expect(wanted(state) == ["e5", "e4", "e19", "e18", "e17"])
        try run(.limit(group: "radio", GroupLimits(newestMax: 1)), &state)
        #expect(wanted(state) == ["e19"], "what was said of the group holds for all of it")
    }

    @Test func `a filter lets titles through, and one that is none is refused`() throws {
        var feed = Self.feed
        (feed.isAutomatic, feed.filter) = (true, "episode [13]")
        #expect(wanted(try following((1...4).map { entry($0) }, as: feed)) == ["e3", "e1"])
        feed.filter = "("
        #expect(throws: Rejection.badFilter("(", "a '(' has no ')'")) {
            try LedgerState().decide(.library(.follow(feed)), at: Fixture.now)
        }
    }

    @Test func `a feed that would keep no file at all is refused`() throws {
        var feed = Self.feed
        feed.newestMax = 0
        #expect(throws: Rejection.badLimit("it keeps no file at all")) {
            try LedgerState().decide(.library(.follow(feed)), at: Fixture.now)
        }
    }

    @Test func `a catalog holds what it offers, and what was taken`() throws {
        var state = try following(
            [entry(1, group: "b"), entry(2, group: "a", order: 2), entry(3, group: "a", order: 1)],
            as: Listing(kind: .catalog, source: .file("/c.json"), directory: "/data"))
        let listing = try #require(state.library.listings[Self.number])
        #expect(listing.sortedEntries.map(\.listed.guid) == ["e3", "e2", "e1"])
        try take("e2", &state)
        try read([entry(1)], &state)
        let left = try #require(state.library.listings[Self.number]).entries
        #expect(Set(left.keys) == ["e1", "e2"] && left["e2"]?.isOffered == false)
    }

    @Test func `what came in part takes nothing out of a catalog`() throws {
        var state = try following(
            [entry(1), entry(2)], as: Listing(kind: .catalog, source: .file("/c.json"), directory: "/data"))
        var part = Refresh(nextAt: Fixture.now)
        part.failure = Fixture.lost
        try run(.refresh(Self.number, [entry(3)], part), &state)
        #expect(state.library.listings[Self.number]?.entries.values.count { $0.isOffered } == 3)
    }

    @Test func `a listing that is full says what it passed over`() throws {
        var state = try following((0..<Listing.entriesMax).map { entry($0) })
        try read([entry(1), entry(-1), entry(-2)], &state)
        let listing = try #require(state.library.listings[Self.number])
        #expect(listing.entries.count == Listing.entriesMax)
        #expect(listing.failure?.message.hasPrefix("2 new entries were passed over") ?? false)
        #expect(listing.failure?.isRetryable == false)
    }

    @Test func `following the same source again changes how`() throws {
        var state = try following([entry(1)])
        var feed = Self.feed
        feed.isAutomatic = true
        try run(.follow(feed), &state)
        #expect(state.library.listings.count == 1)
        #expect(state.library.listings[Self.number]?.listing == feed)
        #expect(state.library.listings[Self.number]?.entries.count == 1)
        #expect(try state.decide(.library(.follow(feed)), at: Fixture.now).events == [])
        try run(.unfollow(Self.number), &state)
        #expect(throws: Rejection.noListing(Self.number)) { try take("e1", &state) }
    }

    @Test func `a long list is recorded in several events of a bounded size`() throws {
        let entries = (0..<3000).map { number in
            var entry = entry(number)
            entry.details = String(repeating: "x", count: 1000)
            return entry
        }
        var state = LedgerState()
        try run(.follow(Self.feed), &state)
        let command = LibraryCommand.refresh(Self.number, entries, Refresh(nextAt: Fixture.now))
        let events = try state.decide(.library(command), at: Fixture.now).events.map(\.event)
        let sizes = events.compactMap { event -> Int? in
            guard case .library(.listed(_, let entries)) = event else { return nil }
            return entries.reduce(0) { $0 + $1.textBytes }
        }
        #expect(sizes.count > 10 && sizes.allSatisfy { $0 <= Library.listedBytesMax })
    }

    @Test func `a hook begins now, and its cursor only goes on`() throws {
        var state = try following([entry(1)])
        try run(.hook(name: "h", details: "all=/bin/tell"), &state)
        let begin = state.sequence
        #expect(state.library.hooks["h"]?.cursor == begin)
        try run(.hook(name: "h", details: "all=/bin/tell"), &state)
        #expect(state.sequence == begin, "a hook that is known goes on where it was")
        try read([entry(2)], &state)
        try run(.deliver(hook: "h", through: state.sequence), &state)
        let told = try #require(state.library.hooks["h"]).cursor
        #expect(told.rawValue == state.sequence.rawValue - 1)
        try run(.deliver(hook: "h", through: begin), &state)
        try run(.deliver(hook: "h", through: SequenceNumber(1 << 40)), &state)
        #expect(state.library.hooks["h"]?.cursor == told)
        #expect(state.library.untold(before: state.sequence) == told)
        let far = SequenceNumber(told.rawValue + Hook.heldEventsMax + 1)
        #expect(state.library.untold(before: far) == nil, "who never comes back holds up no compaction")
    }
}
