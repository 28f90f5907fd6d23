import HTTPTypes
import LedgerModel
import LedgerSystem
import LedgerTestSupport
import SystemPackage
import Testing

@testable import LedgerTransfer

/// How an attempt ends, apart from what it fetched.
@Suite struct AttemptTests {
    static let body = OriginEntity.pattern(9000)

    let disk = SimulatedDisk()
    let reports = RecordedReports()
    let transport = ScriptedTransport()

    let clock = ManualClock(.epoch)
    let limiter = RateLimiter()

    private func worker() -> DownloadWorker {
        let blocking = BlockingPool(threads: 1)
        return DownloadWorker(
            transport: transport, fileSystem: disk, clock: clock, blocking: blocking,
            publication: Publication(fileSystem: disk, blocking: blocking, reporting: reports), reporting: reports,
            limiter: limiter, jitter: { 0 })
    }

    private func run(_ assignment: Assignment) async -> WorkerEnd {
        await worker().run(assignment, live: LiveProgress())
    }

    private func assignment(_ collision: Destination.Collision = .number) throws -> Assignment {
        try disk.createDirectory("/d", permissions: 0o700)
        let order = Order(
            url: try ResourceURL.parse("http://origin.test/f.bin").url,
            destination: Destination(directory: "/d", name: "f.bin", collision: collision))
        return Assignment(lease: Lease(DownloadID(1), epoch: 0), order: order, ledgerPrefix: "0badcafe")
    }

    private func put(_ bytes: [UInt8], at path: FilePath) throws {
        let file = try disk.open(path, .create(permissions: 0o600))
        try file.write(bytes, at: 0)
        try file.synchronize()
    }

    /// Runs in a task that was cancelled before.
    private func runCancelled(_ assignment: Assignment) async -> WorkerEnd {
        await Task {
            withUnsafeCurrentTask { unsafe $0?.cancel() }
            return await run(assignment)
        }.value
    }

    @Test func `who stops does not wait until a whole part is hashed`() async throws {
        var assignment = try assignment()
        assignment.generation = 1
        assignment.durable.insert(0..<UInt64(Self.body.count), sum: CRC32C.checksum(Self.body.span))
        assignment.origin = Origin(
            url: assignment.url, length: UInt64(Self.body.count), validator: .entityTag("\"v1\""), acceptsRanges: true,
            mediaType: nil, suggestedName: "f.bin")
        try put(Self.body, at: "/d/f.bin.1-0badcafe.1.part")
        #expect(await runCancelled(assignment) == .stopped)
        #expect(reports.all.isEmpty)
        #expect(try disk.list("/d") == ["f.bin.1-0badcafe.1.part"])
        #expect(await run(assignment) == .completed(path: "/d/f.bin"))
        #expect(transport.requests.isEmpty)
    }

    @Test func `who stops does not wait until a file that is to be kept is hashed`() async throws {
        let assignment = try assignment(.skip)
        try put(Self.body, at: "/d/f.bin")
        #expect(await runCancelled(assignment) == .stopped)
        #expect(reports.all.isEmpty)
        #expect(await run(assignment) == .completed(path: "/d/f.bin"))
        #expect(reports.all.count == 1)
    }

    @Test func `a place that asks to be left alone is not asked before, as long as there is another`() async throws {
        func busy(_ wait: String?) -> ScriptedTransport.Script {
            var fields = HTTPFields()
            fields[.retryAfter] = wait
            let head = TransferResponse(status: 503, fields: fields, framing: .length(0))
            return { _ in .response(head, chunks: [], end: nil) }
        }
        transport.on("/f.bin", busy("20"))
        transport.script("/m.bin", [busy(nil), busy(nil), busy("5"), busy("5"), busy("5"), busy(nil)])
        var assignment = try assignment()
        assignment.mirrors = [Assignment.Mirror(try ResourceURL.parse("http://origin.test/m.bin").url)]
        let worker = worker()
        let rounds: [(seconds: Int64, asked: [String], wait: Int64)] = [
            (0, ["/f.bin", "/m.bin"], 0), (10, ["/m.bin"], 0), (11, ["/f.bin", "/m.bin"], 5),
            // All of them are to be left alone: who comes all the same was told to.
            (1, ["/f.bin", "/m.bin"], 5), (6, ["/m.bin"], 5),
        ]
        for round in rounds {
            clock.advance(by: .seconds(round.seconds))
            let before = transport.requests.count
            let end = await worker.run(assignment, live: LiveProgress())
            #expect(transport.requests.dropFirst(before).map(\.url.path) == round.asked)
            guard case .failed(let failure, let retryAt) = end else {
                Issue.record("\(end)")
                continue
            }
            #expect(retryAt == clock.now().advanced(by: .seconds(round.wait)))
            #expect(failure.message.hasPrefix("all 2 URLs failed: "), "\(failure.message)")
        }
        // The last attempt asks all of them, so it waits for all.
        clock.advance(by: .seconds(7))
        assignment.attemptsFailed = 4
        guard case .failed(_, let retryAt) = await worker.run(assignment, live: LiveProgress()) else {
            Issue.record("it has not failed")
            return
        }
        #expect(retryAt == clock.now().advanced(by: .seconds(8)))
    }

    @Test func `a date to come back at is one of the origin's clock`() async throws {
        var fields = HTTPFields()
        // An hour behind, or ahead: it is the four seconds between the two that count.
        fields[.date] = "Sun, 01 Mar 2026 10:00:00 GMT"
        fields[.retryAfter] = "Sun, 01 Mar 2026 10:00:04 GMT"
        let head = TransferResponse(status: 503, fields: fields, framing: .length(0))
        transport.on("/f.bin") { _ in .response(head, chunks: [], end: nil) }
        guard case .failed(let failure, .some) = await run(try assignment()) else {
            Issue.record("it has not failed for now")
            return
        }
        #expect(failure.retryAfterSeconds == 4)
    }

    @Test func `a short file takes the time that its rate allows, until the limit is lifted`()
        async throws
    {
        transport.on("/f.bin", ScriptedTransport.entity(OriginEntity(Self.body)))
        limiter.setRate(1000, at: clock.uptime())
        async let end = run(try assignment())
        // Nine seconds are owed. The other sleeper puts progress on record.
        for _ in 0..<20 {
            await clock.untilSleepers(2)
            clock.advance(by: .milliseconds(250))
        }
        await clock.untilSleepers(2)
        #expect(try disk.list("/d") == ["f.bin.1-0badcafe.1.part"])
        limiter.setRate(nil, at: clock.uptime())
        clock.advance(by: .milliseconds(250))
        #expect(try await end == .completed(path: "/d/f.bin"))
    }

    @Test func `an answer lasts for what was owed when it ended, whatever others owe meanwhile`() async throws {
        transport.on("/f.bin", ScriptedTransport.entity(OriginEntity(Self.body)))
        limiter.setRate(18_000, at: clock.uptime())
        async let end = run(try assignment())
        // Half a second, in which others take more.
        for _ in 0..<2 {
            await clock.untilSleepers(2)
            _ = limiter.take(10_000, at: clock.uptime())
            clock.advance(by: .milliseconds(250))
        }
        #expect(try await end == .completed(path: "/d/f.bin"))
    }

    @Test func `what no file can be long is no end of a slice either, and what is held stays`() async throws {
        var assignment = try assignment()
        let origin = Origin(
            url: assignment.url, length: nil, validator: .entityTag("\"v\""), acceptsRanges: true, mediaType: nil,
            suggestedName: "f.bin")
        assignment.origin = origin
        var machine = WorkerStateMachine(
            assignment, settings: TransferSettings(),
            held: WorkerStateMachine.Held(origin: origin, bytes: ByteRangeSet(0..<1000)))
        _ = machine.start()
        let slice = TransferResponse(
            status: 206, fields: [.contentRange: "bytes 1000-1999/9999999999999999999", .eTag: "\"v\""],
            framing: .length(1000))
        guard case .leave(.fail(let failure)) = machine.answered(slice, now: .epoch) else {
            return #expect(Bool(false), "\(machine)")
        }
        #expect(failure.code == .protocolViolation)
    }

    @Test func `what tells versions apart is kept up to a bound, also to be carried on under`() async throws {
        for (bytes, isKept) in [(1022, true), (1023, false), (70_000, false)] {
            let tag = "\"" + String(repeating: "t", count: bytes) + "\""
            var machine = WorkerStateMachine(try assignment(), settings: TransferSettings(), held: nil)
            _ = machine.start()
            let whole = TransferResponse(status: 200, fields: [.eTag: tag], framing: .length(10))
            guard case .begin(let origin, _) = machine.answered(whole, now: .epoch) else {
                return #expect(Bool(false), "\(bytes)")
            }
            #expect(origin.validator == (isKept ? .entityTag(tag) : nil))
        }
    }

    @Test func `secrets that are forwarded go to redirects and mirrors of the order, not where an origin says`() throws
    {
        var assignment = try assignment()
        assignment.headers = [Assignment.Header(name: "X-Key", value: "s3cret")]
        assignment.credentials = "me:pw"
        var options = assignment.order.options.value
        for forwards in [false, true] {
            options.forwardsHeaders = forwards
            assignment.order.options = Shared(options)
            for (url, isLearned, isTold) in [
                ("http://origin.test/m", true, true), ("http://other.test/m", false, forwards),
                ("http://other.test/m", true, false),
            ] {
                let document = assignment.asking(
                    for: Assignment.Mirror(try ResourceURL.parse(url).url), isLearned: isLearned)
                #expect(!document.headers.isEmpty == isTold && (document.credentials != nil) == isTold)
                let approach = Approach(
                    to: Assignment.Mirror(try ResourceURL.parse(url).url), isLearned: isLearned, of: assignment,
                    settings: TransferSettings())
                let fields = approach.request(range: nil, validator: nil).fields
                let key = try #require(HTTPField.Name("X-Key"))
                #expect((fields[key] != nil) == isTold && (fields[.authorization] != nil) == isTold)
            }
        }
    }

    @Test func `a length that no file can have is the origin's fault, for good`() async throws {
        let length = UInt64(Int64.max) + 1
        transport.on("/f.bin") { _ in
            .response(TransferResponse(status: 200, fields: [:], framing: .length(length)), chunks: [], end: nil)
        }
        guard case .failed(let failure, retryAt: nil) = await run(try assignment()) else {
            Issue.record("\(reports.all)")
            return
        }
        #expect(failure.code == .protocolViolation && !failure.isRetryable)
        #expect(failure.message == "the origin says that the file is \(length) bytes long, more than a file can be")
        #expect(try disk.list("/d") == [])
    }
}
