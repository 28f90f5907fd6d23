import HTTPTypes
import LedgerModel
import LedgerSystem
import LedgerTestSupport
import LedgerTransfer
import SystemPackage
import Testing

/// How an attempt ends, apart from what it fetched.
@Suite struct AttemptTests {
    static let body = OriginEntity.pattern(9000)

    let disk = SimulatedDisk()
    let reports = RecordedReports()
    let transport = ScriptedTransport()

    private func run(_ assignment: Assignment) async -> WorkerEnd {
        let blocking = BlockingPool(threads: 1)
        let worker = DownloadWorker(
            transport: transport, fileSystem: disk, clock: ManualClock(.epoch), blocking: blocking,
            publication: Publication(fileSystem: disk, blocking: blocking, reporting: reports), reporting: reports,
            jitter: { 0 })
        return await worker.run(assignment, live: LiveProgress())
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
        assignment.durable = ByteRangeSet(0..<UInt64(Self.body.count))
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
