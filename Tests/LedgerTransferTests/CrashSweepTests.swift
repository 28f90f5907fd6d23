import LedgerModel
import LedgerSystem
import LedgerTestSupport
import LedgerTransfer
import SystemPackage
import Testing

/// The power fails after every single operation of a download, and everything the disk may then hold is looked at: what
/// is on record is never more than what is there.
@Suite struct CrashSweepTests {
    static let body = OriginEntity.pattern(9000)
    static let other = OriginEntity.pattern(7000, seed: 2)

    /// What the reports claim, folded as the queue does.
    private struct Claims {
        var generation: UInt32 = 0
        var durable = SummedRanges()
        var origin: LedgerModel.Origin?
        var verified: Assignment.Verified?
        var isCompleted = false

        init(_ reports: [Report]) {
            for report in reports {
                switch report {
                case .resolved(let origin, let generation):
                    self = Claims([])
                    (self.origin, self.generation) = (origin, generation)
                case .progressed(let ranges, let sums): durable = SummedRanges(ranges, sums: sums)
                case .verified(let length, let sha256, let path):
                    verified = Assignment.Verified(length: length, sha256: sha256, path: path)
                case .completed, .found, .unchanged: isCompleted = true
                case .failed, .blamed: break
                }
            }
        }
    }

    private struct World {
        let disk: SimulatedDisk
        let reports = RecordedReports()
        let transport: ScriptedTransport

        init(_ disk: SimulatedDisk, earlyChunks: Int) {
            self.disk = disk
            transport = ScriptedTransport(earlyChunks: earlyChunks)
            let lost = Failure(.connectionLost, "cut", isRetryable: true)
            let whole = ScriptedTransport.entity(OriginEntity(CrashSweepTests.body), chunkBytes: 3000)
            transport.script(
                "/f.bin",
                [
                    { request in
                        guard case .response(let head, let chunks, _) = whole(request) else { return .failure(lost) }
                        return .response(head, chunks: Array(chunks.prefix(2)), end: lost)
                    },
                    { _ in .failure(lost) },
                    ScriptedTransport.entity(
                        OriginEntity(CrashSweepTests.other, entityTag: "\"v2\""), chunkBytes: 3000),
                ])
        }

        func worker() -> DownloadWorker {
            let blocking = BlockingPool(threads: 1)
            return DownloadWorker(
                transport: transport, fileSystem: disk, clock: ManualClock(.epoch), blocking: blocking,
                publication: Publication(fileSystem: disk, blocking: blocking, reporting: reports),
                reporting: reports, jitter: { 0 })
        }

        func assignment() throws -> Assignment {
            let order = Order(
                url: try ResourceURL.parse("http://origin.test/f.bin").url,
                destination: Destination(directory: "/d/new", name: nil))
            var assignment = Assignment(lease: Lease(DownloadID(1), epoch: 0), order: order, ledgerPrefix: "0badcafe")
            let claims = Claims(reports.all)
            assignment.origin = claims.origin
            assignment.durable = claims.durable
            assignment.generation = claims.generation
            assignment.verified = claims.verified
            return assignment
        }

        /// An attempt that is cut after progress, and one that finds another entity.
        func runTwice() async throws {
            _ = await worker().run(try assignment(), live: LiveProgress())
            _ = await worker().run(try assignment(), live: LiveProgress())
        }
    }

    private func start() throws -> SimulatedDisk {
        let disk = SimulatedDisk()
        try disk.createDirectory("/d", permissions: 0o700)
        try disk.synchronizeDirectory("/")
        return disk
    }

    @Test(arguments: 0...2)
    func `what is on record stands on the disk, wherever the power fails`(_ earlyChunks: Int) async throws {
        var operations = 0
        while true {
            let world = World(try start(), earlyChunks: earlyChunks)
            world.disk.crash(after: operations)
            try await world.runTwice()
            let claims = Claims(world.reports.all)
            for survivor in world.disk.survivors() { try check(claims, survivor, operations) }
            if claims.isCompleted { break }
            operations += 1
            try #require(operations < 200, "a download takes fewer operations")
        }
        #expect(operations > 15)
    }

    @Test(arguments: 0...2)
    func `after the power failed a new worker brings it to its end`(_ earlyChunks: Int) async throws {
        for operations in 0..<60 {
            let world = World(try start(), earlyChunks: earlyChunks)
            world.disk.crash(after: operations)
            try await world.runTwice()
            let again = World(world.disk.survivorOfTheWorst(), earlyChunks: earlyChunks)
            again.transport.on(
                "/f.bin", ScriptedTransport.entity(OriginEntity(Self.other, entityTag: "\"v2\""), chunkBytes: 3000))
            _ = await again.reports.report([WorkerReport(Lease(DownloadID(1), epoch: 0), world.reports.all)])
            if Claims(world.reports.all).isCompleted { return }
            let assignment = try again.assignment()
            let end =
                assignment.verified == nil
                ? await again.worker().run(assignment, live: LiveProgress())
                : await again.worker().finishPublication(of: assignment)
            guard case .completed(let path) = end else {
                Issue.record("after \(operations) operations: \(end)")
                return
            }
            #expect(try again.disk.contents(of: FilePath(path)) == Self.other, "after \(operations) operations")
        }
    }

    private func check(_ claims: Claims, _ disk: SimulatedDisk, _ operations: Int) throws {
        let part = FilePath("/d/new/f.bin.1-0badcafe.\(claims.generation).part")
        let source = claims.origin?.validator == .entityTag("\"v2\"") ? Self.other : Self.body
        if let verified = claims.verified {
            let final = try disk.contents(of: FilePath(verified.path))
            let whole = claims.isCompleted ? final : try final ?? disk.contents(of: part)
            #expect(whole == source, "after \(operations) operations")
        } else if !claims.durable.ranges.isEmpty {
            let count = Int(claims.durable.prefixCount)
            let held = try disk.contents(of: part)
            #expect(held?.prefix(count) == source.prefix(count), "after \(operations) operations")
            #expect(claims.durable.prefixSum == CRC32C.checksum(Array(source.prefix(count)).span))
        }
    }
}
