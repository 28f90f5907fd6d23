import LedgerHTTP
import LedgerModel
import LedgerSystem
import LedgerTestSupport
import LedgerTransfer
import SystemPackage
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A worker over a real socket and a real disk, with an origin that does what the test says and a clock that stands.
final class Bench: Sendable {
    /// The misbehaving origins, all on real sockets.
    let cases: CaseServer
    let directory: FilePath
    let reports = RecordedReports()
    let clock: ManualClock
    let transport: HTTPTransport
    let fileSystem = RealFileSystem()
    let live = LiveProgress()
    let limiter = RateLimiter()
    let worker: DownloadWorker

    static let start = Timestamp(milliseconds: 1_772_532_000_000)
    static let prefix = "0badcafe"

    /// The origin that a test scripts itself; it serves the catalogue besides.
    var origin: OriginServer { cases.main }

    private init(
        cases: CaseServer, clock: ManualClock, isRealTime: Bool, directory: FilePath, settings: TransferSettings,
        network: NetworkLook
    ) {
        transport = HTTPTransport(network: network)
        self.cases = cases
        self.clock = clock
        self.directory = directory
        let blocking = BlockingPool()
        worker = DownloadWorker(
            transport: transport, fileSystem: fileSystem, clock: isRealTime ? SystemClock() : clock,
            blocking: blocking,
            publication: Publication(fileSystem: fileSystem, blocking: blocking, reporting: reports),
            reporting: reports, limiter: limiter, settings: settings, jitter: { 0.5 })
    }

    /// Runs a test on a bench of its own, and clears it away. The worker's clock stands until the test moves it, or is
    /// the machine's, for what depends on how fast bytes come. It has a network, whatever the machine has.
    static func run(
        isSecure: Bool = false, isRealTime: Bool = false, settings: TransferSettings = TransferSettings(),
        network: NetworkLook = NetworkLook(
            hasInterface: { true }, hasWay: { _ in true }, isUnknown: { _ in true }),
        _ body: (Bench) async throws -> Void
    ) async throws {
        let clock = ManualClock(Bench.start)
        let cases = try await CaseServer.start(isSecure: isSecure, clock: clock, companyMillisecondsMax: 240_000)
        let directory = try makeTemporaryDirectory()
        let bench = Bench(
            cases: cases, clock: clock, isRealTime: isRealTime, directory: directory, settings: settings,
            network: network)
        var problem: (any Error)?
        do { try await body(bench) } catch { problem = error }
        await bench.transport.shutdown()
        try await cases.stop()
        try removeTree(directory, bench.fileSystem)
        if let problem { throw problem }
    }

    /// An assignment for a path of the origin, never worked on before.
    func assignment(
        _ path: String, name: String? = nil, id: UInt64 = 1, collision: Destination.Collision = .number,
        expected: Digest? = nil, _ change: (inout TransferOptions) -> Void = { _ in }
    ) throws -> Assignment {
        var options = TransferOptions()
        change(&options)
        let order = Order(
            url: try origin.url(path),
            destination: Destination(directory: directory.string, name: name, collision: collision),
            expected: expected, options: Shared(options))
        return Assignment(lease: Lease(DownloadID(id), epoch: 0), order: order, ledgerPrefix: Bench.prefix)
    }

    func run(_ assignment: Assignment) async -> WorkerEnd { await worker.run(assignment, live: live) }

    /// Runs an assignment that is to be completed under `name`.
    func completes(
        _ assignment: Assignment, as name: String, sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        let end = await run(assignment)
        #expect(end == .completed(path: path(name)), sourceLocation: sourceLocation)
    }

    func file(_ name: String) throws -> [UInt8]? { try fileSystem.contents(of: directory.appending(name)) }

    /// Waits until so many bytes stand in the part.
    func received(_ count: UInt64) async { while live.now.received < count { await Task.yield() } }

    /// Waits until so many streams run beside each other.
    func streams(_ count: Int) async { while live.now.streams != count { await Task.yield() } }

    /// Puts a file of somebody else's into the directory.
    func put(_ name: String, _ bytes: [UInt8]) throws {
        let file = try fileSystem.open(directory.appending(name), .create(permissions: 0o600))
        try file.write(bytes, at: 0)
        file.close()
    }

    /// Plants a symbolic link in the directory.
    func link(_ name: String, to target: String) throws {
        try #require(symlink(path(target), path(name)) == 0)
    }

    func path(_ name: String) -> String { directory.appending(name).string }

    var names: [String] { get throws { try fileSystem.list(directory) } }

    func partPath(_ assignment: Assignment, _ generation: UInt32) -> FilePath {
        directory.appending(
            PartName.make(
                stem: assignment.partStem, id: assignment.lease.id, ledgerPrefix: Bench.prefix,
                generation: generation))
    }

    /// Makes the state that an attempt before left: a part of generation 1 that holds `bytes`, all of them on record.
    func left(_ bytes: [UInt8], of origin: LedgerModel.Origin, for assignment: inout Assignment) throws {
        let file = try fileSystem.open(partPath(assignment, 1), .create(permissions: 0o600))
        try file.write(bytes, at: 0)
        file.close()
        assignment.origin = origin
        assignment.durable = SummedRanges()
        assignment.durable.insert(0..<UInt64(bytes.count), sum: CRC32C.checksum(bytes.span))
        assignment.generation = 1
    }

    /// What the log says of an entity.
    func known(
        _ path: String, length: UInt64?, validator: Validator? = .entityTag("\"v1\""),
        mediaType: String? = "application/octet-stream"
    ) throws -> LedgerModel.Origin {
        LedgerModel.Origin(
            url: try origin.url(path), length: length, validator: validator, acceptsRanges: true,
            mediaType: mediaType, suggestedName: FilePath(path).lastComponent?.string ?? "")
    }
}

private func removeTree(_ path: FilePath, _ fileSystem: RealFileSystem) throws {
    for name in try fileSystem.list(path) {
        let entry = path.appending(name)
        if try fileSystem.status(of: entry)?.kind == .directory {
            try removeTree(entry, fileSystem)
        } else {
            try fileSystem.unlink(entry)
        }
    }
    try fileSystem.removeDirectory(path)
}

private func makeTemporaryDirectory() throws -> FilePath {
    var generator = SystemRandomNumberGenerator()
    let path = FilePath("/tmp/ledger-http-\(String(generator.next(), radix: 16))")
    try RealFileSystem().createDirectory(path, permissions: 0o700)
    return path
}

extension [Report] {
    /// The words of the reports, in order, to compare at a glance.
    var kinds: [String] {
        map { report in
            switch report {
            case .resolved(_, let generation): "resolved \(generation)"
            case .progressed(let ranges, _): "progressed \(ranges.count)"
            case .verified(let length, _, let path): "verified \(length) \(FilePath(path).lastComponent?.string ?? "")"
            case .completed(let identity): "completed \(identity.length)"
            case .failed(let failure, let retryAt):
                "failed \(failure.code.rawValue)\(retryAt == nil ? " for good" : "")"
            case .found: "found"
            case .unchanged: "unchanged"
            case .blamed(let source, let failure): "blamed \(source.host) \(failure.code.rawValue)"
            }
        }
    }
}
