import LedgerCoding
import LedgerModel
import LedgerTestSupport
import Testing

/// What holds of the library after every command of a long random walk.
struct LibraryWalkTests {
    @Test(arguments: [UInt64(1), 2, 3]) func `folding, snapshots and records agree`(_ seed: UInt64) throws {
        var walk = RandomWalk(seed: seed, keepsLibrary: true)
        for _ in 0..<3000 { walk.step() }
        let kinds = Set(walk.history.map(\.event.kind))
        let ofLibrary: Set<Event.Kind> = [
            .used, .pinned, .limited, .followed, .unfollowed, .listed, .delisted, .refreshed, .taken, .hooked,
            .delivered,
        ]
        #expect(kinds.isSuperset(of: ofLibrary), "the walk met only \(kinds)")
        var folded = LedgerState()
        for event in walk.history {
            folded.apply(event)
            guard event.sequence.rawValue.isMultiple(of: 97) else { continue }
            // A state that went through a snapshot goes on as the one that did not.
            let bytes = StateCoding.encode(folded)
            let revived = try StateCoding.decode(bytes[...])
            #expect(revived == folded && StateCoding.encode(revived) == bytes)
            folded = revived
        }
        #expect(folded == walk.state)
        #expect(folded.queue.invariantViolation() == nil)
    }

    @Test(arguments: [UInt64(7), 16]) func `what a plan asks for is done once`(_ seed: UInt64) throws {
        var walk = RandomWalk(seed: seed, keepsLibrary: true)
        var (evictions, takes) = (0, 0)
        for _ in 0..<1000 {
            walk.step()
            var state = walk.state
            var plan = state.libraryPlan(at: walk.now)
            evictions += plan.evict.count
            takes += plan.take.count
            for id in plan.evict {
                #expect(state.queue[id]?.mayBeEvicted == true)
                try apply(.delete(id, .evicted), to: &state, at: walk.now)
            }
            for take in plan.take {
                let group = state.library.listings[take.listing]?.group(of: take.entry)
                let order = Order(
                    url: take.entry.url, destination: Destination(directory: "/data", name: nil),
                    labels: Shared(
                        Labels(group: group, identifier: take.entry.guid, published: take.entry.published)))
                try apply(
                    .library(.take(take.listing, guid: take.entry.guid, order, again: false)), to: &state, at: walk.now)
            }
            plan = state.libraryPlan(at: walk.now)
            #expect(plan.evict.isEmpty && plan.take.isEmpty)
        }
        #expect(evictions > 0 && takes > 0, "the walk met \(evictions) evictions and \(takes) takes")
    }

    private func apply(_ command: Command, to state: inout LedgerState, at now: Timestamp) throws(Rejection) {
        for proposed in try state.decide(command, at: now).events {
            state.apply(proposed.recorded(after: state.sequence, at: now))
        }
    }
}
