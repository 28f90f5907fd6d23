import HTTPTypes
import LedgerLog
import LedgerModel
import LedgerSystem
import LedgerTestSupport
import LedgerTransfer
import SystemPackage
import Testing

@testable import LedgerEngine

struct PoolTests {
    @Test func `what is queued is downloaded, whole, and the ledger says so`() async throws {
        let fixture = EngineFixture()
        try fixture.disk.createDirectory("/d", permissions: 0o755)
        let bytes = fixture.serve("a.bin", bytes: 100_000)
        let ledger = try await fixture.open()
        let id = try await fixture.enqueue(ledger, "a.bin")[0]
        try await fixture.runUntilIdle(ledger)
        let download = try #require(try await ledger.download(id))
        #expect(download.phase == .completed)
        #expect(download.file?.value.path == "/d/a.bin")
        #expect(try fixture.contents("/d/a.bin") == bytes)
        #expect(try fixture.disk.list("/d") == ["a.bin"])
        await ledger.close()
    }

    @Test func `a body cut short is carried on from the last durable byte`() async throws {
        let fixture = EngineFixture()
        try fixture.disk.createDirectory("/d", permissions: 0o755)
        let bytes = OriginEntity.pattern(64_000)
        let whole = ScriptedTransport.entity(OriginEntity(bytes), chunkBytes: 4096)
        fixture.transport.script(
            "/a.bin",
            [
                { request in
                    guard case .response(let head, let chunks, _) = whole(request) else { return .silence }
                    let cut = Failure(.connectionLost, "cut", isRetryable: true)
                    return .response(head, chunks: Array(chunks.prefix(5)), end: cut)
                }, whole,
            ])
        let ledger = try await fixture.open()
        // One stream: a machine that is slow here would be asked for the rest by another.
        var order = try fixture.order("a.bin")
        var options = order.options.value
        options.rangesMax = 1
        order.options = Shared(options)
        _ = try await ledger.execute(.enqueue(order, priority: 0, again: false))
        try await fixture.runUntilIdle(ledger)
        #expect(try await ledger.download(DownloadID(1))?.phase == .completed)
        #expect(try fixture.contents("/d/a.bin") == bytes)
        let ranges = fixture.transport.requests.map { $0.fields[.range] }
        #expect(ranges == [nil, "bytes=20480-"])
        await ledger.close()
    }

    @Test func `what fails for good fails, what fails for now waits and is tried again`() async throws {
        let fixture = EngineFixture()
        try fixture.disk.createDirectory("/d", permissions: 0o755)
        let bytes = OriginEntity.pattern(10)
        fixture.transport.script(
            "/later",
            [
                { _ in .failure(Failure(.unreachable, "refused", isRetryable: true)) },
                ScriptedTransport.entity(OriginEntity(bytes)),
            ])
        let ledger = try await fixture.open()
        let ids = try await fixture.enqueue(ledger, "never", "later")
        try await fixture.runUntilIdle(ledger)
        #expect(try await ledger.download(ids[0])?.phase == .failed)
        #expect(try await ledger.download(ids[0])?.failure?.value.status == 404)
        #expect(try await ledger.download(ids[1])?.phase == .completed)
        #expect(try await ledger.download(ids[1])?.failuresTotal == 1)
        await ledger.close()
    }

    @Test func `after a failed sync the next attempt carries on in a new file, also in another process`() async throws {
        let fixture = EngineFixture()
        try fixture.disk.createDirectory("/d", permissions: 0o755)
        let bytes = OriginEntity.pattern(64_000)
        let whole = ScriptedTransport.entity(OriginEntity(bytes), chunkBytes: 4096)
        let cut: ScriptedTransport.Script = { request in
            guard case .response(let head, let chunks, _) = whole(request) else { return .silence }
            let lost = Failure(.connectionLost, "cut", isRetryable: true)
            return .response(head, chunks: Array(chunks.prefix(5)), end: lost)
        }
        let gone: ScriptedTransport.Script = { _ in .failure(Failure(.unreachable, "gone", isRetryable: false)) }
        fixture.transport.script("/a.bin", [cut, gone, cut, gone, whole])
        var ledger = try await fixture.open()
        let id = try await fixture.enqueue(ledger, "a.bin")[0]
        // Time stands still: only the last sync of each attempt is made.
        try await fixture.hands(of: ledger).pool.run(untilIdle: true)
        #expect(try await ledger.download(id)?.durable == ByteRangeSet(0..<20_480))

        fixture.disk.inject(SimulatedFault(.fdatasync, .ioError) { $0.string.hasSuffix(".1.part") })
        _ = try await ledger.execute(.retry(id))
        try await fixture.hands(of: ledger).pool.run(untilIdle: true)
        let poisoned = try #require(try await ledger.download(id))
        #expect(poisoned.isPoisoned && poisoned.durable == ByteRangeSet(0..<20_480))
        await ledger.close()

        ledger = try await fixture.open()
        _ = try await ledger.execute(.retry(id))
        let before = fixture.transport.requests.count
        #expect(try await ledger.download(id)?.isPoisoned == true)
        try await fixture.runUntilIdle(ledger)
        let download = try #require(try await ledger.download(id))
        #expect(download.phase == .completed && download.generation == 2 && !download.isPoisoned)
        #expect(try fixture.contents("/d/a.bin") == bytes)
        #expect(try fixture.disk.list("/d") == ["a.bin"])
        // On a slow machine the clock passes so much meanwhile that others join in behind it.
        try #require(fixture.transport.requests.count > before)
        #expect(fixture.transport.requests[before].fields[.range] == "bytes=20480-")
        await ledger.close()
    }

    @Test func `a full disk makes a download wait, however often, and nothing of it is lost`() async throws {
        let fixture = EngineFixture()
        try fixture.disk.createDirectory("/d", permissions: 0o755)
        let bytes = OriginEntity.pattern(64_000)
        let whole = ScriptedTransport.entity(OriginEntity(bytes), chunkBytes: 4096)
        fixture.transport.on("/a.bin") { request in
            // Without a length nothing is reserved: the disk fills while it is written.
            guard case .response(var head, let chunks, let end) = whole(request) else { return .silence }
            if head.status == 200 { head.framing = .chunked }
            return .response(head, chunks: chunks, end: end)
        }
        let ledger = try await fixture.open()
        let id = try await fixture.enqueue(ledger, "a.bin")[0]
        let isFull = SimulatedFault(.pwrite, nth: 6, .noSpace, forGood: true) { $0.string.hasSuffix(".part") }
        fixture.disk.inject(isFull)
        let run = Task { try await fixture.runUntilIdle(ledger) }
        var failures: UInt32 = 0
        var events = ledger.events(after: .zero).makeAsyncIterator()
        while failures < 8, let batch = try await events.next() {
            guard batch.contains(where: { $0.event.kind == .failed }) else { continue }
            failures += 1
            let download = try #require(try await ledger.download(id))
            #expect(download.failure?.value.code == .diskFull)
            #expect(download.durable == ByteRangeSet(0..<20_480))
            #expect(download.phase != .failed)
            if failures == 8 { fixture.disk.clearFaults() }
        }
        try await run.value
        #expect(try await ledger.download(id)?.phase == .completed)
        #expect(try fixture.contents("/d/a.bin") == bytes)
        await ledger.close()
    }

    @Test(.timeLimit(.minutes(30))) func `a start on a full home waits for room to record what it found, and goes on`()
        async throws
    {
        let fixture = EngineFixture()
        try fixture.disk.createDirectory("/d", permissions: 0o755)
        for name in ["a.bin", "b.bin"] { fixture.serve(name, bytes: 1000) }
        let ledger = try await fixture.open()
        let id = try await fixture.enqueue(ledger, "a.bin")[0]
        try await fixture.runUntilIdle(ledger)
        let other = try await fixture.enqueue(ledger, "b.bin")[0]
        try fixture.disk.unlink("/d/a.bin")
        fixture.disk.bytesMax = fixture.disk.bytesTaken
        try await fill(ledger, fixture)
        let pool = try fixture.hands(of: ledger).pool
        let run = Task { try await pool.run(untilIdle: false) }
        while fixture.notices.isEmpty { await Task.yield() }
        #expect(try await ledger.download(id)?.phase == .completed)
        #expect(try await ledger.download(other)?.phase == .queued, "nothing is begun before")
        fixture.disk.bytesMax = nil
        try await fixture.clock.passes {
            var batches = ledger.events(after: .zero).makeAsyncIterator()
            var left: Set = [DownloadID(id.rawValue), other]
            while !left.isEmpty, let batch = try await batches.next() {
                for event in batch {
                    if event.id == id, event.event == .missing { left.remove(id) }
                    if event.id == other, event.event.kind == .completed { left.remove(other) }
                }
            }
        }
        #expect(fixture.notices.count == 1, "\(fixture.notices)")
        await pool.drain()
        try await run.value
        await ledger.close()
    }

    /// Records orders, of a day that never comes, until not one more finds room.
    private func fill(_ ledger: Ledger, _ fixture: EngineFixture) async throws {
        var options = TransferOptions()
        options.notBefore = fixture.clock.now().advanced(by: .seconds(1 << 30))
        var (count, number) = (4096, 0)
        while count > 0 {
            var submissions: [Submission] = []
            for _ in 0..<count {
                number += 1
                var order = try fixture.order("\(number)" + (count > 1 ? String(repeating: "x", count: 200) : ""))
                order.options = Shared(options)
                submissions.append(Submission(.enqueue(order, priority: 0, again: false), id: nil, actor: .cli))
            }
            do throws(LedgerError) { _ = try await ledger.execute(submissions) } catch {
                guard case .log(let cause) = error, cause.code == .full else { throw error }
                count /= 2
            }
        }
        // What is found of a file takes no more than these.
        let id = try #require(try await ledger.read { $0.queue.downloads.map(\.id).last })
        while true {
            do throws(LedgerError) {
                for command in [Command.pause(id), .resume(id)] { _ = try await ledger.execute(command) }
            } catch {
                guard case .log(let cause) = error, cause.code == .full else { throw error }
                return
            }
        }
    }

    @Test func `what a worker made behind the end of its download goes when it has stopped`() async throws {
        let fixture = EngineFixture()
        try fixture.disk.createDirectory("/d", permissions: 0o755)
        let ledger = try await fixture.open()
        let ids = try await fixture.enqueue(ledger, "a.bin", "b.bin")
        _ = try await ledger.execute(.cancel(ids[0]))
        let (pool, _, assignments) = try fixture.hands(of: ledger)
        for id in ids {
            let download = try #require(try await ledger.download(id))
            try fixture.disk.open(
                FilePath(assignments.partPath(of: download, generation: 1)), .create(permissions: 0o600)
            )
            .close()
        }
        for id in ids { await pool.clearBehind(id) }
        #expect(try fixture.disk.list("/d").map { $0.prefix(5) } == ["b.bin"], "one that may go on keeps its part")
        await ledger.close()
    }

    @Test(arguments: [SimulatedCall.rename, .fsync])
    func `a file that can not be given its name is told of at once`(_ call: SimulatedCall) async throws {
        let fixture = EngineFixture()
        try fixture.disk.createDirectory("/d", permissions: 0o755)
        fixture.serve("a.bin", bytes: 1000)
        let ledger = try await fixture.open()
        let id = try await fixture.enqueue(ledger, "a.bin")[0]
        // The first syncs of the directory are for itself and for the part; the one that fails is for the name.
        let nth = call == .fsync ? 3 : 1
        fixture.disk.inject(
            SimulatedFault(call, nth: nth, .permissionDenied, forGood: true) { $0.string.hasPrefix("/d") })
        // Time stands still, unless the pool rests.
        Task { [napping = fixture.napping, clock = fixture.clock] in
            await napping.until { $0.contains(WorkerPool.restAfterStop) }
            clock.advance(by: WorkerPool.restAfterStop)
        }
        try await fixture.hands(of: ledger).pool.run(untilIdle: true)
        #expect(try await ledger.download(id)?.failure?.value.code == .disk)
        #expect(!fixture.napping.naps.contains(WorkerPool.restAfterStop))
        // What the log claims stands where it will look for it.
        let names = try fixture.disk.list("/d")
        #expect(names.count == 1 && names[0].hasSuffix(".part"), "\(names)")
        await ledger.close()
    }

    @Test(.timeLimit(.minutes(30)))
    func `who can record nothing rests for longer each time`() async throws {
        let fixture = EngineFixture()
        try fixture.disk.createDirectory("/d", permissions: 0o755)
        fixture.serve("a.bin", bytes: 1000)
        let ledger = try await fixture.open()
        _ = try await fixture.enqueue(ledger, "a.bin")
        let reports = RecordedReports()
        reports.refuse { _ in .closed }
        let pool = try fixture.hands(of: ledger, reporting: reports).pool
        let run = Task { try await pool.run(untilIdle: false) }
        var rest = WorkerPool.restAfterStop
        for requests in 1...3 {
            await fixture.napping.until { [rest] in $0.last == rest }
            #expect(fixture.transport.requests.count == requests)
            fixture.clock.advance(by: rest)
            rest = rest * 2
        }
        await pool.drain()
        try await run.value
        await ledger.close()
    }

    @Test(.timeLimit(.minutes(30)))
    func `a rest whose lease has passed does not keep the pool awake`() async throws {
        let fixture = EngineFixture()
        try fixture.disk.createDirectory("/d", permissions: 0o755)
        fixture.serve("a.bin", bytes: 1000)
        let ledger = try await fixture.open()
        let id = try await fixture.enqueue(ledger, "a.bin")[0]
        // Its worker can record nothing, as on a full disk: it stops by itself, and rests.
        let reports = RecordedReports()
        reports.refuse { _ in .closed }
        let pool = try fixture.hands(of: ledger, reporting: reports).pool
        let run = Task { try await pool.run(untilIdle: false) }
        await fixture.napping.until { $0.last == WorkerPool.restAfterStop }
        let resting = fixture.napping.naps.count
        _ = try await ledger.execute(.pause(id))
        await fixture.napping.until { $0.count > resting }
        let paused = fixture.napping.naps.count
        fixture.clock.advance(by: WorkerPool.restAfterStop)
        // Something that waits for an instant: a pool that sleeps takes a long nap for it.
        var later = try fixture.order("b")
        var options = TransferOptions()
        options.notBefore = fixture.clock.now().advanced(by: .seconds(86_400))
        later.options = Shared(options)
        _ = try await ledger.execute(.enqueue(later, priority: 0, again: false))
        await fixture.napping.until { naps in
            let since = naps.dropFirst(paused)
            return since.contains(WorkerPool.pauseMax) || since.count { $0 == .zero } > 20
        }
        // One nap may have been planned before the clock moved.
        #expect(fixture.napping.naps.dropFirst(paused).count { $0 == .zero } <= 1)
        await pool.drain()
        try await run.value
        await ledger.close()
    }

    @Test func `a pool that waits for no instant does not look at the clock`() async throws {
        let fixture = EngineFixture()
        try fixture.disk.createDirectory("/d", permissions: 0o755)
        fixture.serve("a.bin", bytes: 1000)
        let ledger = try await fixture.open()
        let pool = try fixture.hands(of: ledger).pool
        let run = Task { try await pool.run(untilIdle: false) }
        let id = try await fixture.enqueue(ledger, "a.bin")[0]
        var seen = SequenceNumber.zero
        while try await ledger.download(id)?.phase != .completed {
            await ledger.waitForEvents(after: seen, atMost: nil)
            seen = ledger.lastSequence
        }
        await pool.drain()
        try await run.value
        #expect(!fixture.napping.naps.contains(WorkerPool.pauseMax))
        await ledger.close()
    }

    @Test func `two downloads of one name stand side by side`() async throws {
        let fixture = EngineFixture()
        try fixture.disk.createDirectory("/d", permissions: 0o755)
        let one = fixture.serve("x/a.txt", bytes: 100, seed: 1)
        let other = fixture.serve("y/a.txt", bytes: 200, seed: 2)
        let ledger = try await fixture.open()
        _ = try await fixture.enqueue(ledger, "x/a.txt", "y/a.txt")
        try await fixture.runUntilIdle(ledger)
        #expect(try fixture.disk.list("/d") == ["a (1).txt", "a.txt"])
        let contents = [try fixture.contents("/d/a.txt"), try fixture.contents("/d/a (1).txt")]
        #expect(contents.contains(one) && contents.contains(other))
        await ledger.close()
    }

    @Test func `an order whose secrets are gone fails with that reason`() async throws {
        let fixture = EngineFixture()
        let ledger = try await fixture.open()
        var order = try fixture.order("a")
        order.secret = SecretReference([UInt8](repeating: 7, count: 16))
        _ = try await ledger.execute(.enqueue(order, priority: 0, again: false))
        try await fixture.runUntilIdle(ledger)
        #expect(try await ledger.download(DownloadID(1))?.failure?.value.code == .secretsMissing)
        #expect(fixture.transport.requests.isEmpty)
        await ledger.close()
    }
}
