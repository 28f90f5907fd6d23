import HTTPTypes
import LedgerModel
import LedgerSystem
import LedgerTestSupport
import LedgerTransfer
import SystemPackage
import Testing

/// Rule 4 on part files: a failed sync is final for the file, and what is durable in it moves to a new one.
@Suite struct PoisonTests {
    static let body = OriginEntity.pattern(90_000)

    let disk = SimulatedDisk()
    let reports = RecordedReports()
    let transport = ScriptedTransport()
    let first: FilePath = "/d/f.bin.1-0badcafe.1.part"
    let second: FilePath = "/d/f.bin.1-0badcafe.2.part"

    private func worker() -> DownloadWorker {
        let blocking = BlockingPool(threads: 1)
        return DownloadWorker(
            transport: transport, fileSystem: disk, clock: ManualClock(.epoch), blocking: blocking,
            publication: Publication(fileSystem: disk, blocking: blocking, reporting: reports), reporting: reports,
            jitter: { 0 })
    }

    /// An assignment of a part of generation 1 that holds what is on record, and more that never was.
    private func held(_ bytes: Int) throws -> Assignment {
        try disk.createDirectory("/d", permissions: 0o700)
        try disk.synchronizeDirectory("/")
        let url = try ResourceURL.parse("http://origin.test/f.bin").url
        let order = Order(url: url, destination: Destination(directory: "/d", name: nil))
        var assignment = Assignment(lease: Lease(DownloadID(1), epoch: 0), order: order, ledgerPrefix: "0badcafe")
        assignment.origin = Origin(
            url: url, length: UInt64(Self.body.count), validator: .entityTag("\"v1\""), acceptsRanges: true,
            mediaType: nil, suggestedName: "f.bin")
        assignment.generation = 1
        assignment.durable.insert(0..<UInt64(bytes), sum: CRC32C.checksum(Array(Self.body[..<bytes]).span))
        assignment.isPoisoned = true
        let file = try disk.open(first, .create(permissions: 0o600))
        try file.write(Array(Self.body[..<bytes]) + [UInt8](repeating: 9, count: 1000), at: 0)
        try file.synchronize()
        try disk.synchronizeDirectory("/d")
        return assignment
    }

    private func serve() { transport.on("/f.bin", ScriptedTransport.entity(OriginEntity(Self.body))) }

    private func ranges() -> [String?] { transport.requests.map { $0.fields[.range] } }

    @Test func `what is durable in a poisoned part is carried on in a new file`() async throws {
        let assignment = try held(50_000)
        serve()
        #expect(await worker().run(assignment, live: LiveProgress()) == .completed(path: "/d/f.bin"))
        #expect(ranges() == ["bytes=50000-"])
        #expect(try disk.contents(of: "/d/f.bin") == Self.body)
        #expect(try disk.list("/d") == ["f.bin"])
        let kinds: [String] = reports.all.map { report in
            switch report {
            case .resolved(_, let generation): "resolved \(generation)"
            case .progressed(let bytes, _): "progressed \(bytes.prefixCount)"
            case .verified: "verified"
            case .blamed: "blamed"
            case .completed: "completed"
            case .failed, .found, .unchanged: "\(report)"
            }
        }
        #expect(kinds == ["resolved 2", "progressed 50000", "verified", "completed"])
    }

    @Test func `only the bytes that are durable are taken along, and the old part goes last`() async throws {
        let assignment = try held(50_000)
        let seen = disk
        reports.refuse { [first, second] report in
            guard case .progressed? = report.reports.last else { return nil }
            do {
                #expect(try seen.contents(of: first) == Array(Self.body[..<50_000]))
                for survivor in seen.survivors() {
                    let isThere = try survivor.contents(of: second) == Array(Self.body[..<50_000])
                    #expect(isThere)
                }
            } catch { Issue.record("\(error)") }
            return nil
        }
        transport.on("/f.bin") { _ in .failure(Failure(.unreachable, "gone", isRetryable: true)) }
        _ = await worker().run(assignment, live: LiveProgress())
        #expect(try disk.list("/d") == [second.lastComponent?.string])
        #expect(reports.all.count == 3)
    }

    @Test(arguments: [false, true])
    func `what is durable behind a hole is taken along, and is there until it is claimed of the new part`(
        isRefused: Bool
    ) async throws {
        var assignment = try held(50_000)
        let kept = [0..<10_000, 30_000..<40_000]
        assignment.durable = SummedRanges()
        for range in kept {
            let sum = CRC32C.checksum(Array(Self.body[range]).span)
            assignment.durable.insert(UInt64(range.lowerBound)..<UInt64(range.upperBound), sum: sum)
        }
        if isRefused { disk.inject(SimulatedFault(.fdatasync, .ioError) { $0.string.hasSuffix(".2.part") }) }
        transport.on("/f.bin") { _ in .failure(Failure(.unreachable, "gone", isRetryable: true)) }
        _ = await worker().run(assignment, live: LiveProgress())
        let path = isRefused ? first : second
        for disk in disk.survivors() + [disk] {
            let bytes = try #require(try disk.contents(of: path))
            for range in kept { #expect(bytes.count >= range.upperBound && bytes[range] == Self.body[range]) }
        }
        let claimed = reports.all.compactMap { report -> Report? in
            if case .progressed = report { report } else { nil }
        }
        #expect(claimed == (isRefused ? [] : [.progressed(assignment.durable.ranges, sums: assignment.durable.sums)]))
    }

    @Test(arguments: [99_000, 101_000])
    func `a copy that finds no room leaves nothing behind`(bytesMax: UInt64) async throws {
        let assignment = try held(50_000)
        // Beside the old part there is room for less than the copy; or there seems to be, and then there is not.
        disk.bytesMax = bytesMax
        if bytesMax > 100_000 { disk.inject(SimulatedFault(.pwrite, .noSpace) { $0.string.hasSuffix(".2.part") }) }
        guard case .failed(let failure, .some) = await worker().run(assignment, live: LiveProgress()) else {
            return #expect(Bool(false))
        }
        #expect(failure.code == .diskFull)
        #expect(try disk.list("/d") == [first.lastComponent?.string])
        #expect(try disk.contents(of: first)?.prefix(50_000) == Self.body[..<50_000])
    }

    @Test func `bytes behind a hole that were altered are not taken along`() async throws {
        var assignment = try held(50_000)
        assignment.durable = SummedRanges()
        assignment.durable.insert(0..<10_000, sum: CRC32C.checksum(Array(Self.body[..<10_000]).span))
        assignment.durable.insert(30_000..<40_000, sum: 7)
        serve()
        guard case .failed(let failure, .some) = await worker().run(assignment, live: LiveProgress()) else {
            return #expect(Bool(false))
        }
        #expect(failure.code == .partLost)
    }

    @Test func `what can not be read any more is fetched again`() async throws {
        let assignment = try held(50_000)
        serve()
        disk.inject(SimulatedFault(.pread, .ioError) { $0.string.hasSuffix(".1.part") })
        #expect(await worker().run(assignment, live: LiveProgress()) == .completed(path: "/d/f.bin"))
        #expect(ranges() == [nil])
        #expect(try disk.contents(of: "/d/f.bin") == Self.body)
        #expect(try disk.list("/d") == ["f.bin"])
    }

    @Test func `a disk that refuses the copy keeps what is on record`() async throws {
        let assignment = try held(50_000)
        disk.inject(SimulatedFault(.fdatasync, .ioError) { $0.string.hasSuffix(".2.part") })
        guard case .failed(let failure, .some) = await worker().run(assignment, live: LiveProgress()) else {
            return #expect(Bool(false))
        }
        #expect(failure.code == .disk)
        #expect(reports.all == [.failed(failure, retryAt: .epoch)])
        disk.clearFaults()
        serve()
        #expect(await worker().run(assignment, live: LiveProgress()) == .completed(path: "/d/f.bin"))
        #expect(ranges() == ["bytes=50000-"])
        #expect(try disk.list("/d") == ["f.bin"])
    }

    @Test func `a sync that fails is told, whatever else ended the attempt`() async throws {
        var assignment = try held(50_000)
        assignment.isPoisoned = false
        let whole = ScriptedTransport.entity(OriginEntity(Self.body), chunkBytes: 1 << 12)
        transport.on("/f.bin") { request in
            guard case .response(let head, let chunks, _) = whole(request) else { return .silence }
            return .response(
                head, chunks: Array(chunks.prefix(3)), end: Failure(.protocolViolation, "junk", isRetryable: true))
        }
        disk.inject(SimulatedFault(.fdatasync, .ioError, forGood: true))
        guard case .failed(let failure, .some) = await worker().run(assignment, live: LiveProgress()) else {
            return #expect(Bool(false))
        }
        #expect(failure.code == .protocolViolation)
        #expect(failure.poisonsPart)
        #expect(reports.all == [.failed(failure, retryAt: .epoch)])
    }

    @Test func `parts that a crash left beside the one on record go when the next attempt starts`() async throws {
        var assignment = try held(50_000)
        (assignment.generation, assignment.isPoisoned) = (2, false)
        try disk.rename(first, to: second, replacing: false)
        for other in ["1", "3"] {
            _ = try disk.open(FilePath("/d/f.bin.1-0badcafe.\(other).part"), .create(permissions: 0o600))
        }
        for stranger in ["f.bin.1-0badcaff.1.part", "f.bin.2-0badcafe.1.part"] {
            _ = try disk.open(FilePath("/d/" + stranger), .create(permissions: 0o600))
        }
        transport.on("/f.bin") { _ in .failure(Failure(.unreachable, "gone", isRetryable: true)) }
        _ = await worker().run(assignment, live: LiveProgress())
        #expect(
            try disk.list("/d") == ["f.bin.1-0badcafe.2.part", "f.bin.1-0badcaff.1.part", "f.bin.2-0badcafe.1.part"])
    }

    @Test func `a part that nothing claims and nothing could continue goes with its attempt`() async throws {
        var assignment = try held(50_000)
        assignment.isPoisoned = false
        let whole = ScriptedTransport.entity(OriginEntity(Self.body, entityTag: nil), chunkBytes: 1 << 12)
        transport.on("/f.bin") { request in
            guard case .response(let head, let chunks, _) = whole(request) else { return .silence }
            return .response(
                head, chunks: Array(chunks.prefix(3)), end: Failure(.connectionLost, "cut", isRetryable: true))
        }
        _ = await worker().run(assignment, live: LiveProgress())
        #expect(try disk.list("/d") == [])
    }
}
