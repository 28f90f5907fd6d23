import LedgerEngine
import LedgerModel
import LedgerSystem
import LedgerTestSupport
import LedgerTransfer
import SystemPackage
import Testing

/// What keeps a pool from working: hours of the day, and a disk without room.
struct PoolLimitTests {
    private func failures(_ ledger: Ledger) async throws -> Int {
        var (count, seen) = (0, SequenceNumber.zero)
        var batches = ledger.events(after: .zero).makeAsyncIterator()
        while seen < ledger.lastSequence, let batch = try await batches.next() {
            count += batch.count { $0.event.kind == .failed }
            seen = batch.last?.sequence ?? seen
        }
        return count
    }

    @Test(.timeLimit(.minutes(30)))
    func `a full disk is asked whether it has room, and nothing is attempted or recorded before`() async throws {
        let fixture = EngineFixture()
        try fixture.disk.createDirectory("/d", permissions: 0o755)
        let bytes = fixture.serve("big.bin", bytes: 8 << 20)
        let small = fixture.serve("small.bin", bytes: 1000)
        let ledger = try await fixture.open()
        fixture.disk.bytesMax = fixture.disk.bytesTaken + (4 << 20)
        let id = try await fixture.enqueue(ledger, "big.bin")[0]
        let run = Task { try await fixture.runUntilIdle(ledger, limits: Limits(runningMax: 1)) }
        let looks = fixture.disk.count(of: .statvfs)
        while fixture.disk.count(of: .statvfs) < looks + 5 { await Task.yield() }
        #expect(try await failures(ledger) == 1)
        #expect(fixture.transport.requests.count == 1)
        #expect(try await ledger.download(id)?.failure?.value.code == .diskFull)
        // What rests takes no place from others.
        let other = try await fixture.enqueue(ledger, "small.bin")[0]
        while try await ledger.download(other)?.phase != .completed { await Task.yield() }
        fixture.disk.bytesMax = nil
        try await run.value
        #expect(try await ledger.download(id)?.phase == .completed)
        #expect(try fixture.contents("/d/big.bin") == bytes)
        #expect(try fixture.contents("/d/small.bin") == small)
        #expect(try await failures(ledger) == 1)
        await ledger.close()
    }

    @Test(.timeLimit(.minutes(30)))
    func `what a lost network keeps away is neither attempted nor recorded until it is back, and others go on`()
        async throws
    {
        let fixture = EngineFixture()
        try fixture.disk.createDirectory("/d", permissions: 0o755)
        let (bytes, near) = (fixture.serve("a.bin", bytes: 1000), fixture.serve("near.bin", bytes: 500))
        let ledger = try await fixture.open()
        fixture.transport.lose(["origin.test"])
        let id = try await fixture.enqueue(ledger, "a.bin")[0]
        var other = try fixture.order("near.bin")
        other.url = try ResourceURL.parse("http://near.test/near.bin").url
        _ = try await ledger.execute(.enqueue(other, priority: 0, again: false))
        let pool = try fixture.hands(of: ledger, limits: Limits(runningMax: 1)).pool
        let run = Task { try await fixture.clock.passes(every: .seconds(1)) { try await pool.run(untilIdle: true) } }
        while try await ledger.download(DownloadID(2))?.phase != .completed { await Task.yield() }
        await fixture.napping.until { $0.count { $0 == WorkerPool.restWithoutNetwork } >= 5 }
        let download = try #require(try await ledger.download(id))
        #expect(download.phase == .queued && pool.hindrances.reason(for: download)?.contains("'origin.test'") == true)
        #expect(fixture.transport.requests.map(\.url.host) == ["near.test"])
        #expect(try fixture.contents("/d/near.bin") == near)
        fixture.transport.lose([])
        try await run.value
        #expect(try await ledger.download(id)?.phase == .completed && pool.hindrances == Hindrances())
        #expect(try fixture.contents("/d/a.bin") == bytes)
        #expect(try await failures(ledger) == 0)
        await ledger.close()
    }

    @Test(.timeLimit(.minutes(30)))
    func `what runs is stopped when its hours are over, nothing is recorded, and it runs on when they come again`()
        async throws
    {
        let fixture = EngineFixture()
        try fixture.disk.createDirectory("/d", permissions: 0o755)
        let whole = ScriptedTransport.entity(OriginEntity([1, 2, 3]))
        fixture.transport.script("/a.bin", [{ _ in .silence }, whole])
        let ledger = try await fixture.open()
        // It is 22:13:20 in UTC, and an hour later here.
        fixture.clock.setZone(secondsFromUTC: 3600)
        var order = try fixture.order("a.bin")
        var options = order.options.value
        options.window = DailyWindow(parsing: "22:00-23:14")
        order.options = Shared(options)
        _ = try await ledger.execute(.enqueue(order, priority: 0, again: false))
        let pool = try fixture.hands(of: ledger).pool
        let run = Task { try await pool.run(untilIdle: true) }
        while fixture.transport.requests.isEmpty { await Task.yield() }
        let last = ledger.lastSequence
        fixture.clock.setWall(Timestamp(milliseconds: 1_700_000_040_000))
        await pass(until: { pool.live.isEmpty }, fixture)
        #expect(ledger.lastSequence == last)
        #expect(try await ledger.download(DownloadID(1))?.phase == .queued)
        // The next day at 22:00.
        fixture.clock.setWall(Timestamp(milliseconds: 1_700_082_000_000))
        await pass(until: { fixture.transport.requests.count == 2 }, fixture)
        try await run.value
        #expect(try await ledger.download(DownloadID(1))?.phase == .completed)
        await ledger.close()
    }

    /// Lets time pass, a second whenever someone sleeps.
    private func pass(until isMet: () -> Bool, _ fixture: EngineFixture) async {
        while !isMet() {
            if fixture.clock.sleeperCount > 0 { fixture.clock.advance(by: .seconds(1)) }
            await Task.yield()
        }
    }
}
