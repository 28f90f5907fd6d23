import LedgerModel
import LedgerTestSupport
import Testing

/// Places in the queue, against a plain array for each priority.
struct MoveTests {
    /// A queue with what its order should be.
    private struct Model {
        var queue = Queue()
        var places: [Int32: [DownloadID]] = [:]

        var order: [DownloadID] { places.sorted { $0.key > $1.key }.flatMap(\.value) }
        var actual: [DownloadID] { queue.liveDownloads.map(\.id) }

        mutating func execute(_ command: Command) throws {
            for proposed in try queue.decide(command, at: Fixture.now).events {
                queue.apply(proposed.recorded(after: queue.sequence, at: Fixture.now))
            }
        }

        mutating func enqueue(_ name: String, priority: Int32) throws {
            try execute(.enqueue(Fixture.order(name), priority: priority, again: false))
            places[priority, default: []].append(DownloadID(queue.sequence))
        }

        mutating func move(_ id: DownloadID, to placement: Placement) throws {
            let priority = try #require(queue[id]).priority
            try execute(.move(id, placement))
            places[priority]?.removeAll { $0 == id }
            switch placement {
            case .first: places[priority]?.insert(id, at: 0)
            case .last: places[priority]?.append(id)
            case .priority(let other): places[other, default: []].append(id)
            case .index(let index):
                let place = min(max(index - 1, 0), places[priority]?.count ?? 0)
                places[priority]?.insert(id, at: place)
            case .before(let other), .after(let other):
                let beside = try #require(queue[other]).priority
                guard other != id else {
                    // Beside itself it stays.
                    places[priority] = queue.liveDownloads.filter { $0.priority == priority }.map(\.id)
                    break
                }
                let place = try #require(places[beside]?.firstIndex(of: other))
                places[beside]?.insert(id, at: placement == .after(other) ? place + 1 : place)
            }
        }
    }

    @Test func `each placement`() throws {
        var model = Model()
        for name in ["a", "b", "c", "d"] { try model.enqueue(name, priority: 0) }
        for (id, placement, expected) in [
            (3, .first, [3, 1, 2, 4]), (3, .last, [1, 2, 4, 3]), (3, .index(2), [1, 3, 2, 4]),
            (1, .index(2), [3, 1, 2, 4]), (1, .index(0), [1, 3, 2, 4]), (1, .index(99), [3, 2, 4, 1]),
            (2, .priority(1), [2, 3, 4, 1]), (1, .priority(1), [2, 1, 3, 4]), (2, .priority(-1), [1, 3, 4, 2]),
            (4, .before(3), [1, 4, 3, 2]), (4, .after(3), [1, 3, 4, 2]), (4, .after(1), [1, 4, 3, 2]),
            (2, .before(4), [1, 2, 4, 3]), (2, .after(2), [1, 2, 4, 3]), (3, .before(3), [1, 2, 4, 3]),
        ] as [(DownloadID, Placement, [DownloadID])] {
            try model.move(id, to: placement)
            #expect(model.actual == expected)
            #expect(model.order == expected)
        }
    }

    @Test func `what stands where it is to go is not moved, so that undo takes back what was done before`() throws {
        var model = Model()
        for (name, priority) in [("a", 1), ("b", 0), ("c", 0), ("d", 0), ("e", -1)] as [(String, Int32)] {
            try model.enqueue(name, priority: priority)
        }
        for (id, placement) in [
            (2, .first), (4, .last), (1, .first), (1, .last), (5, .index(7)), (3, .index(2)), (3, .after(2)),
            (3, .before(4)), (4, .index(99)), (3, .before(3)),
        ] as [(DownloadID, Placement)] {
            #expect(try model.queue.decide(.move(id, placement), at: Fixture.now).events == [], "\(id) \(placement)")
        }
        #expect(try model.queue.decide(.move(3, .priority(0)), at: Fixture.now).events.count == 1)
    }

    @Test(arguments: [UInt64(1), 2, 3]) func `thousands of random moves keep the order and distinct ranks`(
        _ seed: UInt64
    ) throws {
        var random = SplitMix64(seed: seed)
        var model = Model()
        for index in 0..<12 { try model.enqueue(String(index), priority: Int32(index % 2)) }
        let ids = model.order
        for step in 0..<1000 {
            let id = try #require(ids.randomElement(using: &random))
            let before = model.order
            // Mostly to the same few places, where ranks soon stand close.
            let placement: Placement =
                switch Int.random(in: 0..<20, using: &random) {
                case 0: .first
                case 1: .last
                case 2: .priority(Int32.random(in: 0...1, using: &random))
                case 3..<8: .before(try #require(ids.randomElement(using: &random)))
                case 8..<13: .after(try #require(ids.randomElement(using: &random)))
                default: .index(Int.random(in: 0...4, using: &random))
                }
            var moved = model
            try moved.move(id, to: placement)
            try #require(moved.actual == moved.order, "seed \(seed), step \(step): \(id) to \(placement)")
            for (_, peers) in moved.places {
                #expect(
                    Set(peers.compactMap { moved.queue[$0]?.rank }).count == peers.count, "seed \(seed), step \(step)")
            }
            if moved.order != before {
                var undone = moved.queue
                for proposed in try undone.decide(.undo(nil), at: Fixture.now).events {
                    undone.apply(proposed.recorded(after: undone.sequence, at: Fixture.now))
                }
                #expect(undone.liveDownloads.map(\.id) == before, "undo at seed \(seed), step \(step)")
            }
            model = moved
        }
        #expect(model.queue.invariantViolation() == nil)
    }

    @Test func `neighbours that make room are not what undo undoes`() throws {
        var model = Model()
        for name in ["a", "b", "c", "d"] { try model.enqueue(name, priority: 0) }
        var shifted = false
        for _ in 0..<30 {
            let id = try #require(model.actual.last)
            let count = model.queue.image.undoable.count
            let sequence = model.queue.sequence
            try model.move(id, to: .index(2))
            shifted = shifted || model.queue.sequence.rawValue > sequence.rawValue + 1
            #expect(model.queue.image.undoable.count == count + 1)
            #expect(model.queue.lastUndoable(of: id) == model.queue.sequence)
        }
        #expect(shifted, "ranks never came close enough for the test to mean anything")
    }
}
