import LedgerAPI
import LedgerModel
import LedgerSystem
import LedgerTestSupport
import SystemPackage
import Testing

@testable import LedgerEngine

/// Files that are somebody's, where a deletion or its undo meets them.
extension RecoveryRowTests {
    @Test(arguments: [Deletion.purge, .trash(path: "/ledger/trash/1-a")])
    func `deleted, and a copy with its time put there since: it is somebody's`(deletion: Deletion) async throws {
        var ledger = try await completed()
        let body = try #require(try fixture.contents("/d/a"))
        let modified = try #require(try fixture.disk.status(of: "/d/a")).modifiedNanoseconds
        _ = try await ledger.execute(.delete(DownloadID(1), deletion))
        try await fixture.runUntilIdle(ledger)
        #expect(try fixture.disk.list("/d") == [])
        fixture.disk.clockNanoseconds = fixture.clock.now().milliseconds * 1_000_000 + 1_000_000
        try fixture.put(body, at: "/d/a")
        let copy = try fixture.disk.open("/d/a", .update)
        try copy.setModified(nanoseconds: modified)
        copy.close()
        await ledger.close()
        ledger = try await fixture.open()
        try await fixture.runUntilIdle(ledger)
        #expect(try fixture.contents("/d/a") == body)
        await ledger.close()
    }

    @Test func `a crash after it came back beside a stranger leaves the stranger a stranger`() async throws {
        var ledger = try await completed()
        let bytes = try #require(try fixture.contents("/d/a"))
        let reconciler = try fixture.hands(of: ledger).reconciler
        let delete = try await ledger.execute(.delete(DownloadID(1), .trash(path: "/ledger/trash/1-a")))
        try await reconciler.follow(delete.recordedEvents)
        try fixture.put([1, 2, 3], at: "/d/a")
        _ = try await ledger.execute(.undo(nil))
        // Where a kill comes between the rename and what would be recorded of it.
        try fixture.disk.rename("/ledger/trash/1-a", to: "/d/a (1)", replacing: false)
        await ledger.close()
        ledger = try await fixture.open()
        try await fixture.runUntilIdle(ledger)
        let download = try #require(try await ledger.download(DownloadID(1)))
        #expect(download.phase == .completed && download.file?.value.path == "/d/a (1)")
        #expect(try fixture.contents("/d/a") == [1, 2, 3] && fixture.contents("/d/a (1)") == bytes)
        await ledger.close()
    }

    @Test func `deleted, and compacted before the disk followed: it is done all the same`() async throws {
        var ledger = try await completed()
        let body = try #require(try fixture.contents("/d/a"))
        _ = try await ledger.execute(.delete(DownloadID(1), .trash(path: "/ledger/trash/1-a")))
        var request = CompactRequest()
        request.keepEvents = 0
        request.command = CommandID(high: 1, low: 1)
        _ = try await ledger.compact(request)
        await ledger.close()
        ledger = try await fixture.open()
        try await fixture.hands(of: ledger).reconciler.look(
            at: ledger.read { Array($0.queue.downloads.ids) })
        #expect(try fixture.disk.list("/d") == [])
        #expect(try fixture.contents("/ledger/trash/1-a") == body)
        await ledger.close()
    }

    @Test(arguments: [Deletion.purge, .trash(path: "/ledger/trash/1-a")])
    func `what someone else made of a file stays when its download is deleted`(deletion: Deletion) async throws {
        let ledger = try await completed()
        try fixture.disk.unlink("/d/a")
        fixture.disk.clockNanoseconds += 1_000_000_000
        try fixture.put([1, 2, 3], at: "/d/a")
        try await fixture.runUntilIdle(ledger)
        #expect(try await ledger.download(DownloadID(1))?.phase == .altered)
        let reconciler = try fixture.hands(of: ledger).reconciler
        try await reconciler.follow(try await ledger.execute(.delete(DownloadID(1), deletion)).recordedEvents)
        #expect(try fixture.contents("/d/a") == [1, 2, 3])
        try await reconciler.follow(try await ledger.execute(.undo(nil)).recordedEvents)
        #expect(try await ledger.download(DownloadID(1))?.phase == .altered)
        #expect(try fixture.contents("/d/a") == [1, 2, 3])
        await ledger.close()
    }

    @Test func `what could not come back does, though another download's file of the same bytes stands there`()
        async throws
    {
        var ledger = try await completed()
        let bytes = try #require(try fixture.contents("/d/a"))
        let delete = try await ledger.execute(.delete(DownloadID(1), .trash(path: "/ledger/trash/1-a")))
        try await fixture.hands(of: ledger).reconciler.follow(delete.recordedEvents)
        // Killed before the disk followed: another one is being published there meanwhile.
        _ = try await ledger.execute(.undo(nil))
        try fixture.put(bytes, at: "/d/a")
        #expect(try fixture.disk.status(of: "/d/a")?.modifiedNanoseconds == modified(of: "/ledger/trash/1-a"))
        await ledger.close()
        ledger = try await fixture.open()
        try await fixture.runUntilIdle(ledger)
        let download = try #require(try await ledger.download(DownloadID(1)))
        #expect(download.phase == .completed && download.file?.value.path == "/d/a (1)")
        #expect(try fixture.disk.list("/d") == ["a", "a (1)"])
        #expect(try fixture.contents("/d/a (1)") == bytes)
        await ledger.close()
    }

    @Test(arguments: [false, true])
    func `one whose deletion was undone is not called missing for another that took its place before it was back`(
        isLost: Bool
    ) async throws {
        let ledger = try await completed()
        let bytes = try #require(try fixture.contents("/d/a"))
        let delete = try await ledger.execute(.delete(DownloadID(1), .trash(path: "/ledger/trash/1-a")))
        try await fixture.hands(of: ledger).reconciler.follow(delete.recordedEvents)
        _ = try await ledger.execute(.undo(nil))
        if isLost { try fixture.disk.unlink("/ledger/trash/1-a") }
        // The disk has not followed yet when another of this name is fetched.
        fixture.serve("a", bytes: 4000, seed: 9)
        let order = try fixture.order("a")
        let enqueued = try await ledger.execute(.enqueue(order, priority: 0, again: true)).recordedEvents
        let other = DownloadID(enqueued[0].sequence)
        let (pool, reconciler, _) = try fixture.hands(of: ledger)
        try await fixture.clock.passes(every: .milliseconds(500)) {
            try await pool.run(untilIdle: true, isReconciled: true)
        }
        // The pool's own look may not be over: this one comes behind it.
        try await reconciler.follow(try await events(of: ledger))
        let (first, second) = (try await ledger.download(DownloadID(1)), try await ledger.download(other))
        #expect(second?.file?.value.path == "/d/a")
        #expect(first?.phase == (isLost ? .missing : .completed))
        #expect(first?.file?.value.path == (isLost ? "/d/a" : "/d/a (1)"))
        #expect(try fixture.contents("/d/a (1)") == (isLost ? nil : bytes))
        let misses = try await events(of: ledger).count { $0.event.kind == .missing }
        #expect(misses == (isLost ? 1 : 0))
        await ledger.close()
    }

    private func events(of ledger: Ledger) async throws -> [Recorded] {
        var events: [Recorded] = []
        var batches = ledger.events(after: .zero).makeAsyncIterator()
        while events.last?.sequence != ledger.lastSequence, let batch = await batches.nextAtHand() { events += batch }
        return events
    }

    private func modified(of path: FilePath) throws -> Int64? {
        try fixture.disk.status(of: path)?.modifiedNanoseconds
    }
}
