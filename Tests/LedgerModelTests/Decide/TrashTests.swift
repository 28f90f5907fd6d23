import LedgerModel
import LedgerTestSupport
import Testing

/// What may stay in the trash, and what becomes of undo when it may not.
struct TrashTests {
    private static let day = Duration.seconds(86_400)

    /// So many finished downloads of 1,000 bytes, deleted into the trash one second after the other.
    private static func trashed(_ count: UInt64) -> Queue {
        var facts: [Fact] = (1...count).map { .enqueued(Fixture.order("f\($0)"), rank: Fixture.rank(Int64($0))) }
        for id in 1...count { facts += PhaseCase.finished.map { .about(DownloadID(id), $0) } }
        for id in 1...count { facts.append(.about(DownloadID(id), .deleted(.trash(path: "/trash/\(id)")))) }
        var queue = Queue()
        for fact in facts { queue.apply(fact.recorded(after: queue.sequence)) }
        return queue
    }

    @Test func `within its limits everything stays`() {
        let queue = Self.trashed(3)
        #expect(queue.expiring(under: TrashLimits(), at: Fixture.now).isEmpty)
        #expect(queue.expiring(under: TrashLimits(sizeBytesMax: 3000), at: Fixture.now).isEmpty)
    }

    @Test func `what is too much goes, the oldest first`() {
        let queue = Self.trashed(3)
        #expect(queue.expiring(under: TrashLimits(sizeBytesMax: 2999), at: Fixture.now) == [1])
        #expect(queue.expiring(under: TrashLimits(sizeBytesMax: 1500), at: Fixture.now) == [1, 2])
        #expect(queue.expiring(under: TrashLimits(sizeBytesMax: 0), at: Fixture.now) == [1, 2, 3])
    }

    @Test func `what is too old goes at the very instant`() throws {
        let queue = Self.trashed(2)
        let limits = TrashLimits(daysMax: 3)
        let first = try #require(queue.undoableNow.last?.time)
        let end = limits.end(ofDeletionAt: first)
        #expect(end == first.advanced(by: Self.day * 3))
        #expect(queue.expiring(under: limits, at: end.advanced(by: .milliseconds(-1))).isEmpty)
        #expect(queue.expiring(under: limits, at: end) == [1])
        #expect(queue.expiring(under: TrashLimits(daysMax: 0), at: Fixture.now) == [1, 2])
    }

    @Test func `a file whose deletion is not remembered stays while there is room`() {
        var queue = Self.trashed(1)
        queue.apply(Fact.enqueued(Fixture.order("other"), rank: Fixture.rank(9)).recorded(after: queue.sequence))
        let other = DownloadID(queue.sequence)
        for number in 0..<Queue.undoEntriesMax {
            let event = number.isMultiple(of: 2) ? Event.paused : .resumed
            queue.apply(Fact.about(other, event).recorded(after: queue.sequence))
        }
        #expect(queue.lastUndoable(of: 1) == nil)
        #expect(queue.expiring(under: TrashLimits(), at: Fixture.now).isEmpty)
        #expect(queue.expiring(under: TrashLimits(sizeBytesMax: 999), at: Fixture.now) == [1])
        #expect(queue.expiring(under: TrashLimits(daysMax: 0), at: Fixture.now) == [1])
    }

    @Test func `what was brought back, kept or never there is not in the trash`() {
        var queue = Self.trashed(2)
        queue.apply(
            Fact.about(2, .restored(undoing: queue.sequence)).recorded(after: queue.sequence))
        #expect(queue.expiring(under: TrashLimits(sizeBytesMax: 0), at: Fixture.now) == [1])
        var other = Queue()
        for fact in [
            Fact.enqueued(Fixture.order(), rank: Fixture.rank(1)), .about(1, .deleted(.trash(path: "/trash/1"))),
        ] { other.apply(fact.recorded(after: other.sequence)) }
        #expect(other.expiring(under: TrashLimits(sizeBytesMax: 0, daysMax: 0), at: Fixture.now).isEmpty)
    }

    @Test func `an expiry is recorded, said by undo, and made once`() throws {
        var queue = Self.trashed(1)
        let deleted = queue.sequence
        #expect(decided(queue, .expire(1)) == does(.deleted(.expired(path: "/trash/1"))))
        queue.apply(Fact.about(1, .deleted(.expired(path: "/trash/1"))).recorded(after: queue.sequence))
        #expect(queue.invariantViolation() == nil)
        #expect(queue[1]?.phase == .deleted)
        #expect(decided(queue, .undo(deleted)) == no(.expired(deleted, 1)))
        #expect(decided(queue, .undo(nil)) == no(.nothingToUndo))
        #expect(decided(queue, .undo(1)) == no(.expired(deleted, 1)), "the download of that number was meant")
        #expect(decided(queue, .expire(1)) == no(.notInTrash(1)))
        #expect(decided(queue, .expire(9)) == no(.notFound(9)))
        #expect(queue.undoableNow.isEmpty)
    }

    @Test func `undoing does not make a second writer of a file`() {
        let order = Fixture.order("a", saveAs: "a")
        let scenario = Scenario(Queue.self).given(
            .enqueued(order, rank: Fixture.rank(1)), .about(1, .cancelled),
            .enqueued(Fixture.order("b", saveAs: "a"), rank: Fixture.rank(2)))
        scenario.when(.undo(nil)).refused(.destinationTaken(path: "/data/a", by: 3))
        scenario.given(.about(3, .deleted(.purge))).when(.undo(2)).recorded(.about(1, .restored(undoing: 2))) {
            $0[1]?.phase = .queued
            $0[1]?.epoch = 2
        }
    }

    @Test func `a bulk deletion is undone as one, however large`() throws {
        var queue = Queue()
        let command = CommandID(high: 3, low: 4)
        let count: UInt64 = 3000
        for id in 1...count {
            queue.apply(
                Fact.enqueued(Fixture.order("f\(id)"), rank: Fixture.rank(Int64(id))).recorded(after: queue.sequence))
        }
        for id in 1...count {
            queue.apply(
                Decision.Proposed(DownloadID(id), .deleted(.keepFile)).recorded(
                    after: queue.sequence, at: Fixture.now, command: command))
        }
        let undone = try queue.decide(.undo(nil), at: Fixture.now).events
        #expect(undone.count == Int(count) && undone.first?.id == DownloadID(count))
        #expect(queue.undoableNow.first?.actor == .cli && queue.undoableNow.first?.time == Fixture.now)
    }
}
