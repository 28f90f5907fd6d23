import LedgerEngine
import LedgerModel
import LedgerSystem
import LedgerTestSupport
import LedgerTransfer
import SystemPackage
import Testing

/// Each row of what a crash can leave between log and disk, and what the next start makes of it.
struct RecoveryRowTests {
    let fixture = EngineFixture()
    private let bytes = OriginEntity.pattern(5000)

    /// A ledger that crashed after `verified` was durable, with the part and the final file as asked.
    private func crashedWhilePublishing(part: [UInt8]?, final: [UInt8]?) async throws -> Ledger {
        let disk = fixture.disk
        try disk.createDirectory("/d", permissions: 0o755)
        let ledger = try await fixture.open()
        let id = try await fixture.enqueue(ledger, "a")[0]
        let origin = Origin(
            url: try fixture.order("a").url, length: 5000, validator: nil, acceptsRanges: true, mediaType: nil,
            suggestedName: "a")
        let sha256 = try #require(Digest(.sha256, fixture.sha256(bytes)))
        _ = try await ledger.execute(
            .report(
                Lease(id, epoch: 0),
                [.resolved(origin, generation: 1), .verified(length: 5000, sha256: sha256, path: "/d/a")]))
        let path = try fixture.hands(of: ledger).assignments.partPath(
            of: try #require(try await ledger.download(id)), generation: 1)
        await ledger.close()
        if let part { try fixture.put(part, at: path) }
        if let final { try fixture.put(final, at: "/d/a") }
        return try await fixture.open()
    }

    @Test func `verified, final present, part gone: completed`() async throws {
        let ledger = try await crashedWhilePublishing(part: nil, final: bytes)
        try await fixture.runUntilIdle(ledger)
        #expect(try await ledger.download(DownloadID(1))?.phase == .completed)
        #expect(try fixture.disk.list("/d") == ["a"])
        #expect(fixture.transport.requests.isEmpty)
        await ledger.close()
    }

    @Test func `verified, part present: the rename is done again`() async throws {
        let ledger = try await crashedWhilePublishing(part: bytes, final: nil)
        try await fixture.runUntilIdle(ledger)
        #expect(try await ledger.download(DownloadID(1))?.phase == .completed)
        #expect(try fixture.disk.list("/d") == ["a"])
        #expect(try fixture.contents("/d/a") == bytes)
        #expect(fixture.transport.requests.isEmpty)
        await ledger.close()
    }

    @Test func `verified, both present: nothing of either is lost`() async throws {
        let stranger = OriginEntity.pattern(77, seed: 3)
        let ledger = try await crashedWhilePublishing(part: bytes, final: stranger)
        try await fixture.runUntilIdle(ledger)
        let download = try #require(try await ledger.download(DownloadID(1)))
        #expect(download.phase == .completed)
        let path = try #require(download.file?.value.path)
        #expect(path != "/d/a")
        #expect(try fixture.contents(path) == bytes)
        #expect(try fixture.contents("/d/a") == stranger)
        await ledger.close()
    }

    @Test func `verified, part gone, a stranger of equal length in its place: fetched again, beside it`() async throws {
        let bytes = fixture.serve("a", bytes: 5000)
        let stranger = OriginEntity.pattern(5000, seed: 3)
        let ledger = try await crashedWhilePublishing(part: nil, final: stranger)
        try await fixture.runUntilIdle(ledger)
        let download = try #require(try await ledger.download(DownloadID(1)))
        #expect(download.phase == .completed)
        #expect(try fixture.contents("/d/a") == stranger)
        let path = try #require(download.file?.value.path)
        #expect(path != "/d/a")
        #expect(try fixture.contents(path) == bytes)
        await ledger.close()
    }

    @Test func `verified, neither present: fetched again`() async throws {
        let bytes = fixture.serve("a", bytes: 5000)
        let ledger = try await crashedWhilePublishing(part: nil, final: nil)
        try await fixture.runUntilIdle(ledger)
        #expect(try await ledger.download(DownloadID(1))?.phase == .completed)
        #expect(try fixture.disk.list("/d") == ["a"])
        #expect(try fixture.contents("/d/a") == bytes)
        await ledger.close()
    }

    func completed() async throws -> Ledger {
        try fixture.disk.createDirectory("/d", permissions: 0o755)
        fixture.serve("a", bytes: 5000)
        let ledger = try await fixture.open()
        _ = try await fixture.enqueue(ledger, "a")
        try await fixture.runUntilIdle(ledger)
        #expect(try await ledger.download(DownloadID(1))?.phase == .completed)
        return ledger
    }

    @Test(arguments: [true, false]) func `who compares tells of the bytes that are read: those of what differs`(
        isDryRun: Bool
    ) async throws {
        let ledger = try await completed()
        let (untouched, touched) = (WorkProgress(), WorkProgress())
        let reconciler = try fixture.hands(of: ledger).reconciler
        try await reconciler.compare(isDryRun: isDryRun, progress: untouched) { found, _ in #expect(found.isEmpty) }
        #expect(untouched.bytes == (0, 0))
        try fixture.disk.unlink("/d/a")
        try fixture.put(Array(repeating: 7, count: 3000), at: "/d/a")
        try await reconciler.compare(isDryRun: isDryRun, progress: touched) { found, looked in
            #expect((found.map(\.after), looked) == ([.altered], 1))
        }
        #expect(touched.bytes == (3000, 3000))
        await ledger.close()
    }

    @Test func `who leaves waits for no file that is read, and the next start finds out what it is`() async throws {
        let ledger = try await completed()
        try fixture.disk.unlink("/d/a")
        try fixture.put([1, 2, 3], at: "/d/a")
        let reconciler = try fixture.hands(of: ledger).reconciler
        reconciler.hurry()
        try await reconciler.look(at: ledger.read { Array($0.queue.downloads.ids) })
        #expect(try await ledger.download(DownloadID(1))?.phase == .completed)
        // What takes no time is still done.
        try fixture.disk.unlink("/d/a")
        try await reconciler.look(at: ledger.read { Array($0.queue.downloads.ids) })
        #expect(try await ledger.download(DownloadID(1))?.phase == .missing)
        try fixture.put([1, 2, 3], at: "/d/a")
        try await fixture.runUntilIdle(ledger)
        #expect(try await ledger.download(DownloadID(1))?.phase == .altered)
        await ledger.close()
    }

    @Test func `completed, file gone: missing`() async throws {
        let ledger = try await completed()
        try fixture.disk.unlink("/d/a")
        try await fixture.runUntilIdle(ledger)
        #expect(try await ledger.download(DownloadID(1))?.phase == .missing)
        await ledger.close()
    }

    @Test func `completed, content changed: altered, and seen again once it is back`() async throws {
        let ledger = try await completed()
        let original = try #require(try fixture.contents("/d/a"))
        try fixture.disk.unlink("/d/a")
        fixture.disk.clockNanoseconds += 1_000_000_000
        try fixture.put([1, 2, 3], at: "/d/a")
        try await fixture.runUntilIdle(ledger)
        let altered = try #require(try await ledger.download(DownloadID(1)))
        #expect(altered.phase == .altered)
        #expect(altered.file?.value.sha256 == Digest(.sha256, fixture.sha256(original)), "what was downloaded")
        for _ in 1...2 {
            try await fixture.runUntilIdle(ledger)
            #expect(try await ledger.download(DownloadID(1)) == altered, "another start does not take it for ours")
        }
        try fixture.disk.unlink("/d/a")
        try await fixture.runUntilIdle(ledger)
        #expect(try await ledger.download(DownloadID(1))?.phase == .missing)
        try fixture.put(original, at: "/d/a")
        try await fixture.runUntilIdle(ledger)
        #expect(try await ledger.download(DownloadID(1))?.phase == .completed)
        await ledger.close()
    }

    @Test func `completed, only touched: hashed, and still completed`() async throws {
        let ledger = try await completed()
        let file = try fixture.disk.open("/d/a", .update)
        try file.setModified(nanoseconds: 5)
        file.close()
        try await fixture.runUntilIdle(ledger)
        #expect(try await ledger.download(DownloadID(1))?.phase == .completed)
        #expect(try await ledger.download(DownloadID(1))?.file?.value.identity?.modifiedNanoseconds == 5)
        await ledger.close()
    }

    @Test func `a start reads no file, and what is read then is on record file by file`() async throws {
        let ledger = try await completed()
        let reconciler = try fixture.hands(of: ledger).reconciler
        #expect(try await reconciler.reconcileUnread() == [])
        let file = try fixture.disk.open("/d/a", .update)
        try file.setModified(nanoseconds: 5)
        file.close()
        for _ in 0..<2 { #expect(try await reconciler.reconcileUnread() == [DownloadID(1)]) }
        #expect(try await ledger.download(DownloadID(1))?.file?.value.identity?.modifiedNanoseconds != 5)
        try await reconciler.look(at: [DownloadID(1)])
        #expect(try await ledger.download(DownloadID(1))?.file?.value.identity?.modifiedNanoseconds == 5)
        #expect(try await reconciler.reconcileUnread() == [])
        try fixture.disk.unlink("/d/a")
        try fixture.put([9], at: "/d/a")
        #expect(try await reconciler.reconcileUnread() == [DownloadID(1)])
        #expect(try await ledger.download(DownloadID(1))?.phase == .completed)
        reconciler.hurry()
        try await reconciler.look(at: [DownloadID(1)])
        #expect(try await ledger.download(DownloadID(1))?.phase == .completed, "nobody waits for it any longer")
        await ledger.close()
    }

    @Test func `deleted, file present: the deletion is done again, a stranger is never touched`() async throws {
        var ledger = try await completed()
        _ = try await ledger.execute(.delete(DownloadID(1), .purge))
        await ledger.close()
        ledger = try await fixture.open()
        try await fixture.runUntilIdle(ledger)
        #expect(try fixture.disk.list("/d") == [])
        fixture.disk.clockNanoseconds += 1_000_000_000
        try fixture.put([1, 2, 3], at: "/d/a")
        try await fixture.runUntilIdle(ledger)
        #expect(try fixture.contents("/d/a") == [1, 2, 3])
        await ledger.close()
    }

    /// Brings the file of a download to the trash and back, the disk following each; `between` the two.
    private func trashAndRestore(_ ledger: Ledger, _ between: () throws -> Void) async throws {
        let reconciler = try fixture.hands(of: ledger).reconciler
        for command in [Command.delete(DownloadID(1), .trash(path: "/ledger/trash/1-a")), .undo(nil)] {
            guard case .recorded(let events) = try await ledger.execute(command) else {
                Issue.record("\(command) was refused")
                return
            }
            try await reconciler.follow(events)
            if case .delete = command { try between() }
        }
    }

    @Test func `a trashed file comes back with undo`() async throws {
        let ledger = try await completed()
        let bytes = try fixture.contents("/d/a")
        try await trashAndRestore(ledger) { () throws in
            #expect(try fixture.contents("/d/a") == nil)
            #expect(try fixture.contents("/ledger/trash/1-a") == bytes)
        }
        #expect(try fixture.contents("/d/a") == bytes)
        #expect(try fixture.contents("/ledger/trash/1-a") == nil)
        #expect(try await ledger.download(DownloadID(1))?.phase == .completed)
        await ledger.close()
    }

    @Test func `a trashed file comes back beside what stands in its place`() async throws {
        let ledger = try await completed()
        let bytes = try #require(try fixture.contents("/d/a"))
        try await trashAndRestore(ledger) { try fixture.put([1, 2, 3], at: "/d/a") }
        let download = try #require(try await ledger.download(DownloadID(1)))
        #expect(download.phase == .completed)
        #expect(download.file?.value.path == "/d/a (1)")
        #expect(try fixture.contents("/d/a (1)") == bytes)
        #expect(try fixture.contents("/d/a") == [1, 2, 3])
        #expect(try fixture.contents("/ledger/trash/1-a") == nil)
        await ledger.close()
    }

    @Test func `a file whose directory is gone comes back all the same`() async throws {
        let ledger = try await completed()
        let bytes = try #require(try fixture.contents("/d/a"))
        try await trashAndRestore(ledger) { try fixture.disk.removeDirectory("/d") }
        #expect(try fixture.contents("/d/a") == bytes)
        await ledger.close()
    }

    @Test func `where no rename reaches the trash, a hidden directory beside the file takes its place`() async throws {
        let ledger = try await completed()
        let bytes = try #require(try fixture.contents("/d/a"))
        fixture.disk.inject(SimulatedFault(.rename, .improperLink) { $0.string == "/d/a" })
        try await trashAndRestore(ledger) { () throws in
            #expect(try fixture.contents("/d/.ledger-trash/1-a") == bytes)
        }
        #expect(try fixture.contents("/d/a") == bytes)
        #expect(try fixture.disk.list("/d") == ["a"], "the hidden directory goes with its last file")
        await ledger.close()
    }

    @Test(arguments: [0, 1, 2]) func `expired, cut short anywhere: the file leaves the trash, a stranger does not`(
        _ steps: Int
    ) async throws {
        var ledger = try await completed()
        let reconciler = try fixture.hands(of: ledger).reconciler
        _ = try await ledger.execute(.delete(DownloadID(1), .trash(path: "/ledger/trash/1-a")))
        if steps > 0 { try await reconciler.look(at: [DownloadID(1)]) }
        _ = try await ledger.execute(.expire(DownloadID(1)))
        if steps > 1 { try await reconciler.look(at: [DownloadID(1)]) }
        await ledger.close()
        ledger = try await fixture.open()
        try fixture.disk.createDirectory("/ledger/trash", permissions: 0o700)
        try fixture.put([1], at: "/ledger/trash/2-b")
        try await fixture.runUntilIdle(ledger)
        #expect(try fixture.contents("/ledger/trash/1-a") == nil)
        #expect(try fixture.contents("/ledger/trash/2-b") == [1])
        #expect(try await ledger.execute(.undo(nil)) == .refused(.nothingToUndo))
        await ledger.close()
    }

    @Test func `a part shorter than the log claims is not trusted: the file is whole in the end`() async throws {
        try fixture.disk.createDirectory("/d", permissions: 0o755)
        let bytes = fixture.serve("a", bytes: 5000)
        var ledger = try await fixture.open()
        let id = try await fixture.enqueue(ledger, "a")[0]
        let origin = Origin(
            url: try fixture.order("a").url, length: 5000, validator: .entityTag("\"v1\""), acceptsRanges: true,
            mediaType: nil, suggestedName: "a")
        _ = try await ledger.execute(
            .report(Lease(id, epoch: 0), [.resolved(origin, generation: 1), .progressed(ByteRangeSet(0..<4000))]))
        let path = try fixture.hands(of: ledger).assignments.partPath(
            of: try #require(try await ledger.download(id)), generation: 1)
        await ledger.close()
        try fixture.put(Array(bytes[..<100]), at: path)
        ledger = try await fixture.open()
        try await fixture.runUntilIdle(ledger)
        #expect(try fixture.contents("/d/a") == bytes)
        await ledger.close()
    }

    @Test func `a file in the trash survives a power cut, the first one too`() async throws {
        try fixture.disk.createDirectory("/d", permissions: 0o755)
        let bytes = fixture.serve("a", bytes: 10)
        let ledger = try await fixture.open()
        let id = try await fixture.enqueue(ledger, "a")[0]
        try await fixture.runUntilIdle(ledger)
        let (_, reconciler, assignments) = try fixture.hands(of: ledger)
        let path = assignments.trashPath(of: id, try await ledger.download(id), in: fixture.home, fixture.world)
        _ = try await ledger.execute(.delete(id, .trash(path: path)))
        try await reconciler.look(at: [id])
        let isThere = try fixture.disk.survivorOfTheWorst().contents(of: FilePath(path)) == bytes
        #expect(isThere)
        await ledger.close()
    }

    @Test func `cancelling removes the part, also one that was never claimed`() async throws {
        try fixture.disk.createDirectory("/d", permissions: 0o755)
        let ledger = try await fixture.open()
        let id = try await fixture.enqueue(ledger, "a")[0]
        let (_, reconciler, assignments) = try fixture.hands(of: ledger)
        let download = try #require(try await ledger.download(id))
        try fixture.put([1], at: assignments.partPath(of: download, generation: 1))
        guard case .recorded(let events) = try await ledger.execute(.cancel(id)) else {
            Issue.record("the cancellation was refused")
            return
        }
        try await reconciler.follow(events)
        #expect(try fixture.disk.list("/d") == [])
        await ledger.close()
    }

    @Test func `what the disk refuses is said once, and the other files go on`() async throws {
        try fixture.disk.createDirectory("/d", permissions: 0o755)
        fixture.serve("a", bytes: 10)
        fixture.serve("b", bytes: 20)
        let ledger = try await fixture.open()
        let ids = try await fixture.enqueue(ledger, "a", "b")
        try await fixture.runUntilIdle(ledger)
        fixture.disk.inject(SimulatedFault(.unlink, .permissionDenied, forGood: true) { $0.string == "/d/a" })
        let reconciler = try fixture.hands(of: ledger).reconciler
        for id in ids { _ = try await ledger.execute(.delete(id, .purge)) }
        for _ in 0..<2 { try await reconciler.look(at: ledger.read { Array($0.queue.downloads.ids) }) }
        #expect(try fixture.disk.list("/d") == ["a"])
        #expect(fixture.notices.map(\.what) == ["the files of download 1 are not where the ledger says"])
        #expect(fixture.notices.first?.why == "can not write '/d/a': Permission denied (unlink)")
        fixture.disk.clearFaults()
        try await reconciler.look(at: ledger.read { Array($0.queue.downloads.ids) })
        #expect(try fixture.disk.list("/d") == [])
        await ledger.close()
    }

    @Test func `cancelling removes what a crash left of the part before the one on record`() async throws {
        try fixture.disk.createDirectory("/d", permissions: 0o755)
        let ledger = try await fixture.open()
        let id = try await fixture.enqueue(ledger, "a")[0]
        let origin = Origin(
            url: try fixture.order("a").url, length: 5000, validator: nil, acceptsRanges: true, mediaType: nil,
            suggestedName: "a")
        _ = try await ledger.execute(.report(Lease(id, epoch: 0), [.resolved(origin, generation: 5)]))
        let (_, reconciler, assignments) = try fixture.hands(of: ledger)
        let download = try #require(try await ledger.download(id))
        for generation: UInt32 in [4, 5, 6] {
            try fixture.put([1], at: assignments.partPath(of: download, generation: generation))
        }
        guard case .recorded(let events) = try await ledger.execute(.cancel(id)) else {
            Issue.record("the cancellation was refused")
            return
        }
        try await reconciler.follow(events)
        #expect(try fixture.disk.list("/d") == [])
        await ledger.close()
    }
}
