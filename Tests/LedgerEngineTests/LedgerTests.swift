import LedgerAPI
import LedgerCoding
import LedgerEngine
import LedgerLog
import LedgerModel
import LedgerSystem
import LedgerTestSupport
import LedgerTransfer
import Synchronization
import SystemPackage
import Testing

struct LedgerTests {
    @Test func `what was acknowledged is there when the ledger is opened again`() async throws {
        let fixture = EngineFixture()
        let ledger = try await fixture.open()
        let ids = try await fixture.enqueue(ledger, "a", "b", "c")
        let before = try await ledger.read { $0 }
        await ledger.close()

        let again = try await fixture.open()
        let after = try await again.read { $0 }
        #expect(after == before)
        #expect(StateSnapshot.digest(of: after) == StateSnapshot.digest(of: before))
        #expect(ids.map(\.rawValue) == [1, 2, 3])
        await again.close()
    }

    @Test func `a log that speaks of a download it never enqueued is refused, not folded`() async throws {
        let fixture = EngineFixture()
        let ledger = try await fixture.open()
        _ = try await fixture.enqueue(ledger, "a")
        await ledger.close()
        var log = try WriteAheadLog.open(
            at: fixture.home.path, fileSystem: fixture.disk, random: fixture.world.random)
        let forged = EventCoding.encode(id: DownloadID(9), command: nil, actor: .cli, event: .paused)
        _ = log.stage(
            LogRecord(type: forged.type, version: forged.version, time: .epoch, payload: forged.payload))
        try log.commit(at: .epoch)
        try log.close()
        let refusal = #expect(throws: LedgerError.self) {
            _ = try LedgerReading(home: fixture.home, world: fixture.world).state()
        }
        guard case .coding(let error) = refusal else {
            Issue.record("\(String(describing: refusal))")
            return
        }
        #expect(
            error.description == """
                event 2 'paused' can not be read
                  cause: it is about a download that no event before it enqueued
                  next:  'ledger verify' shows whether the log is damaged; if it is not, this is a bug worth reporting
                """)
    }

    @Test func `a look that nobody waits for any more ends at the next batch`() async throws {
        let fixture = EngineFixture()
        let ledger = try await fixture.open()
        for name in ["a", "b", "c"] { _ = try await fixture.enqueue(ledger, name) }
        let asked = Mutex(0)
        let reading = LedgerReading(home: fixture.home, world: fixture.world) {
            asked.withLock { asked in
                asked += 1
                return asked > 1
            }
        }
        for point in [LogPoint.sequence(3), .time(fixture.world.clock.now())] {
            asked.withLock { $0 = 0 }
            let error = #expect(throws: LedgerError.self) { _ = try reading.state(at: point) }
            guard case .closed = error else {
                Issue.record("\(point): \(String(describing: error))")
                continue
            }
        }
        await ledger.close()
    }

    @Test func `commands that arrive while a sync runs share the next`() async throws {
        let fixture = EngineFixture()
        let ledger = try await fixture.open()
        let before = fixture.disk.count(of: .fdatasync)
        await withTaskGroup { group in
            for number in 0..<200 {
                group.addTask {
                    do { _ = try await fixture.enqueue(ledger, "file-\(number)") } catch {
                        Issue.record("\(error)")
                    }
                }
            }
        }
        #expect(fixture.disk.count(of: .fdatasync) - before < 200)
        #expect(try await ledger.read { $0.queue.liveCount } == 200)
        await ledger.close()
    }

    @Test func `what tasks on the ledger's own thread ask at once shares one sync`() async throws {
        let fixture = EngineFixture()
        let ledger = try await fixture.open()
        let before = fixture.disk.count(of: .fdatasync)
        await Task(executorPreference: ledger.thread) {
            await withTaskGroup { group in
                for caller in 0..<50 {
                    group.addTask {
                        for round in 0..<4 {
                            do { _ = try await fixture.enqueue(ledger, "file-\(caller)-\(round)") } catch {
                                Issue.record("\(error)")
                            }
                        }
                    }
                }
            }
        }.value
        // One for each round, and what was prepared behind them.
        #expect(fixture.disk.count(of: .fdatasync) - before < 20)
        #expect(try await ledger.read { $0.queue.liveCount } == 200)
        await ledger.close()
    }

    @Test func `a command that comes once the ledger is closed is refused`() async throws {
        let fixture = EngineFixture()
        let ledger = try await fixture.open()
        await ledger.close()
        for _ in 1...2 {
            let error = await #expect(throws: LedgerError.self) { _ = try await fixture.enqueue(ledger, "late") }
            guard case .closed = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
        }
    }

    @Test func `a failed sync is final: nothing is acknowledged, and the ledger says so until it is opened anew`()
        async throws
    {
        let fixture = EngineFixture()
        let ledger = try await fixture.open()
        _ = try await fixture.enqueue(ledger, "kept")
        fixture.disk.inject(SimulatedFault(.fdatasync, .ioError))
        await #expect(throws: LedgerError.self) { _ = try await fixture.enqueue(ledger, "lost") }
        await #expect(throws: LedgerError.self) { _ = try await fixture.enqueue(ledger, "refused") }
        await #expect(throws: LedgerError.self) { _ = try await ledger.read { $0.queue.liveCount } }
        await ledger.close()

        fixture.disk.releaseAllLocks()
        let again = try await fixture.open()
        #expect(try await again.read { $0.queue.downloads.contains { $0.order.url.path == "/kept" } })
        #expect(try await again.read { !$0.queue.downloads.contains { $0.order.url.path == "/refused" } })
        await again.close()
    }

    @Test func `a full disk refuses what does not fit and loses nothing`() async throws {
        let fixture = EngineFixture()
        let ledger = try await fixture.open()
        _ = try await fixture.enqueue(ledger, "first")
        fixture.disk.bytesMax = fixture.disk.bytesTaken
        var accepted: UInt64 = 1
        var refused = false
        // The zeros ahead and the ballast take some thousand orders before the disk is felt.
        let names = (0..<2000).map { "file-\($0)" }
        for round in 0..<50 where !refused {
            var submissions: [Submission] = []
            for name in names {
                let order = try fixture.order("\(round)-\(name)-" + String(repeating: "x", count: 200))
                submissions.append(Submission(.enqueue(order, priority: 0, again: false), id: nil, actor: .cli))
            }
            do throws(LedgerError) {
                _ = try await ledger.execute(submissions)
                accepted += UInt64(names.count)
            } catch {
                guard case .log(let cause) = error else { throw error }
                #expect(cause.code == .full)
                refused = true
            }
        }
        #expect(refused)
        #expect(try await ledger.read { UInt64($0.queue.liveCount) } == accepted)

        // What a worker reports finds no room either: people are told once, and again after it went well.
        let told = Mutex<[String]>([])
        let reporting = LedgerReporting(ledger: ledger) { problem in told.withLock { $0.append(problem.message) } }
        let failure = Failure(.unreachable, String(repeating: "x", count: 1 << 20), isRetryable: false)
        let report = [WorkerReport(Lease(DownloadID(1), epoch: 0), [.failed(failure, retryAt: nil)])]
        for _ in 1...2 { #expect(await reporting.report(report) == [.closed]) }
        let words = "there is no room to record what was received: until there is, nothing more is fetched"
        #expect(told.withLock { $0 } == [words])

        fixture.disk.bytesMax = nil
        #expect(await reporting.report(report) == [nil])
        accepted -= 1
        _ = try await fixture.enqueue(ledger, "after")
        await ledger.close()
        let again = try await fixture.open()
        #expect(try await again.read { UInt64($0.queue.liveCount) } == accepted + 1)
        await again.close()
    }

    @Test func `a full disk at the end leaves a ledger that opens without room`() async throws {
        let fixture = EngineFixture()
        let ledger = try await fixture.open()
        // Enough for a snapshot to be made at the end.
        let count = 20_001
        let submissions = try (0..<count).map { number in
            Submission(.enqueue(try fixture.order("\(number)"), priority: 0, again: false), id: nil, actor: .cli)
        }
        _ = try await ledger.execute(submissions)
        fixture.disk.bytesMax = 0
        await ledger.close()
        let home = LogHome(fixture.home.path)
        #expect(try fixture.disk.list(home.snapshots).isEmpty)
        let again = try await fixture.open()
        #expect(again.recovery.isClean && !again.recovery.hasBallast, "\(again.recovery)")
        #expect(try await again.read { $0.queue.liveCount } == count)
        await again.close()
        fixture.disk.bytesMax = nil
        let roomy = try await fixture.open()
        await roomy.close()
        #expect(try fixture.disk.list(home.snapshots).count == 1)
    }

    @Test func `what fills a batch and finds no room is not acknowledged`() async throws {
        let fixture = EngineFixture()
        let ledger = try await fixture.open()
        _ = try await fixture.enqueue(ledger, "first")
        fixture.disk.bytesMax = fixture.disk.bytesTaken
        // Orders of nearly the longest there may be, and the last of them fills the batch.
        let details = String(repeating: "x", count: Order.textBytesMax - 1000)
        var submissions: [Submission] = []
        for number in 0...LogBounds.batchBytesMax / details.utf8.count {
            var order = try fixture.order("file-\(number)")
            order.labels = Shared(Labels(details: details))
            submissions.append(Submission(.enqueue(order, priority: 0, again: false), id: nil, actor: .cli))
        }
        let refusal = await #expect(throws: LedgerError.self) { _ = try await ledger.execute(submissions) }
        guard case .log(let cause) = refusal else {
            Issue.record("\(String(describing: refusal))")
            return
        }
        #expect(cause.code == .full)
        #expect(try await ledger.read { $0.queue.liveCount } == 1)
        await ledger.close()
    }

    @Test func `what would not read back from the log is refused, and nothing of it is recorded`() async throws {
        let fixture = EngineFixture()
        let ledger = try await fixture.open()
        let id = try await fixture.enqueue(ledger, "a")[0]
        _ = try await ledger.execute(.delete(id, .keepFile))
        #expect(
            try await ledger.execute(.redact(id, reason: String(repeating: "x", count: 4097)))
                == .refused(.tooMuch("the bytes of a reason", max: 4096)))
        let before = try await ledger.read { $0 }
        var order = try fixture.order("b")
        order.destination = Destination(directory: "not/from/the/root", name: nil, collision: .number)
        #expect(
            try await ledger.execute(.enqueue(order, priority: 0, again: true))
                == .refused(.unrecordable("the value of field 2 is out of range")))
        let reason = String(repeating: "x", count: LogBounds.payloadBytesMax)
        guard
            case .refused(.unrecordable(let cause)) = try await ledger.execute(
                .maintain(.repaired(cut: 0, reason: reason)))
        else {
            Issue.record("a record that is too long is refused")
            return
        }
        #expect(cause.hasSuffix("bytes, and a record holds \(LogBounds.payloadBytesMax)"))
        #expect(try await ledger.read { $0 } == before)
        _ = try await fixture.enqueue(ledger, "c")
        await ledger.close()
        let again = try await fixture.open()
        #expect(again.lastSequence == before.sequence.next)
        await again.close()
    }

    @Test func `a command that is repeated gets its first answer and records nothing`() async throws {
        let fixture = EngineFixture()
        let ledger = try await fixture.open()
        let name = CommandID(high: 1, low: 2)
        let command = Command.enqueue(try fixture.order("a"), priority: 0, again: true)
        guard case .recorded(let events) = try await ledger.execute(command, id: name) else {
            Issue.record("the first is recorded")
            return
        }
        await ledger.close()
        let again = try await fixture.open()
        #expect(
            try await again.execute(command, id: name)
                == .repeated(CommandAnswer(first: events[0].sequence, count: 1)))
        #expect(again.lastSequence == SequenceNumber(1))
        await again.close()
    }

    @Test func `a home that is held is refused to others`() async throws {
        let fixture = EngineFixture()
        let ledger = try await fixture.open()
        do throws(LedgerError) {
            _ = try await fixture.open()
            Issue.record("two held one ledger")
        } catch {
            guard case .log(let cause) = error else { throw error }
            #expect(cause.code == .locked)
        }
        await ledger.close()
    }

    @Test func `a follower sees every event once from wherever it begins, also when it is far behind`() async throws {
        let fixture = EngineFixture()
        let ledger = try await fixture.open()
        // More than the hub keeps in memory, so that the log is read as well.
        for round in 0..<10 {
            var submissions: [Submission] = []
            for number in 0..<1000 {
                let order = try fixture.order("\(round)-\(number)")
                submissions.append(Submission(.enqueue(order, priority: 0, again: false), id: nil, actor: .cli))
            }
            _ = try await ledger.execute(submissions)
        }
        for start: UInt64 in [0, 1, 999, 5000, 9999] {
            var next = SequenceNumber(start).next
            var events = ledger.events(after: SequenceNumber(start)).makeAsyncIterator()
            while next.rawValue <= 10_000, let batch = try await events.next() {
                for event in batch {
                    #expect(event.sequence == next)
                    #expect(event.id == DownloadID(next), "from memory as from the log")
                    next = event.sequence.next
                }
            }
            #expect(next == SequenceNumber(10_001))
        }
        await ledger.close()
    }
}
