import Crypto
import LedgerAPI
import LedgerEngine
import LedgerLog
import LedgerModel
import LedgerSystem
import LedgerTestSupport
import LedgerTransfer
import Synchronization
import SystemPackage

/// A ledger's world on a simulated disk: manual time, seeded chance, scripted origins.
final class EngineFixture: Sendable {
    let disk: SimulatedDisk
    let clock = ManualClock(Timestamp(milliseconds: 1_700_000_000_000))
    /// The same, as the engine sees it.
    let napping: NapClock
    let transport: ScriptedTransport
    let home = LedgerHome("/ledger")
    let world: World
    private let noticed = Mutex<[Problem]>([])

    init(_ disk: SimulatedDisk = SimulatedDisk(), seed: UInt64 = 1, earlyChunks: Int = 0) {
        self.disk = disk
        transport = ScriptedTransport(earlyChunks: earlyChunks)
        napping = NapClock(clock)
        world = World(
            fileSystem: disk, clock: napping, random: SharedChance(seed: seed).source,
            blocking: BlockingPool(threads: 2))
    }

    /// What the reconciler said: what, and why.
    var notices: [(what: String, why: String?)] { noticed.withLock { $0.map { ($0.message, $0.cause) } } }

    func open(limits: Limits = Limits()) async throws(LedgerError) -> Ledger {
        try await Ledger.open(home, world: world, limits: limits)
    }

    func hands(
        of ledger: Ledger, reporting: (any WorkerReporting)? = nil, limits: Limits = Limits()
    ) throws -> (pool: WorkerPool, reconciler: Reconciler, assignments: AssignmentMaker) {
        let secrets = try SecretStore(home.secrets, fileSystem: disk, random: world.random)
        let assignments = AssignmentMaker(secrets: secrets, ledgerPrefix: ledger.identityPrefix)
        let notice: @Sendable (Problem) -> Void = { problem in self.noticed.withLock { $0.append(problem) } }
        let reconciler = Reconciler(ledger: ledger, assignments: assignments, notice: notice)
        let reporting: any WorkerReporting = reporting ?? LedgerReporting(ledger: ledger, notice: notice)
        let worker = DownloadWorker(
            transport: transport, fileSystem: disk, clock: clock, blocking: world.blocking,
            publication: Publication(fileSystem: disk, blocking: world.blocking, reporting: reporting),
            reporting: reporting, jitter: { [world] in world.fraction() })
        let pool = WorkerPool(
            ledger: ledger, worker: worker, assignments: assignments, reconciler: reconciler, limits: limits)
        return (pool, reconciler, assignments)
    }

    /// Runs the pool until nothing is left to do, while time passes as fast as someone sleeps.
    func runUntilIdle(_ ledger: Ledger, limits: Limits = Limits()) async throws {
        let pool = try hands(of: ledger, limits: limits).pool
        try await clock.passes(every: .milliseconds(500)) { try await pool.run(untilIdle: true) }
    }

    /// Makes `/d/NAME` be served, and returns its bytes.
    @discardableResult
    func serve(_ name: String, bytes count: Int, seed: UInt64 = 7) -> [UInt8] {
        let bytes = OriginEntity.pattern(count, seed: seed)
        transport.on("/" + name, ScriptedTransport.entity(OriginEntity(bytes), chunkBytes: 1 << 12))
        return bytes
    }

    /// Time flies here, however long the bytes take: no order finds them late.
    func order(_ name: String, collision: Destination.Collision = .number) throws -> Order {
        var options = TransferOptions()
        options.silenceMillisecondsMax = .max
        return Order(
            url: try ResourceURL.parse("http://origin.test/" + name).url,
            destination: Destination(directory: "/d", name: nil, collision: collision), options: Shared(options))
    }

    /// Opens the ledger, which saves a snapshot each so many events.
    func openWithSnapshots(everyEvents step: UInt64 = 3) async throws -> Ledger {
        try await Ledger.open(home, world: world, milestones: Milestones(stepEvents: step, countMax: 2))
    }

    func enqueue(_ ledger: Ledger, _ names: String...) async throws -> [DownloadID] { try await enqueue(ledger, names) }

    /// Enqueues orders of these names.
    func enqueue(_ ledger: Ledger, _ names: [String]) async throws -> [DownloadID] {
        var submissions: [Submission] = []
        for name in names {
            submissions.append(Submission(.enqueue(try order(name), priority: 0, again: false), id: nil, actor: .cli))
        }
        return try await ledger.execute(submissions).map { outcome in
            switch outcome {
            case .recorded(let events): DownloadID(events[0].sequence)
            case .joined(let id, _): id
            case .repeated(let answer): DownloadID(answer.first)
            case .refused(let rejection): throw rejection
            }
        }
    }

    func put(_ bytes: [UInt8], at path: String) throws {
        let file = try disk.open(FilePath(path), .create(permissions: 0o644))
        try file.write(bytes, at: 0)
        try file.synchronize()
        file.close()
    }

    func sha256(_ bytes: [UInt8]) -> [UInt8] { Array(SHA256.hash(data: bytes)) }

    func contents(_ path: String) throws -> [UInt8]? { try disk.contents(of: FilePath(path)) }
}

extension Ledger {
    /// Executes one command of a person.
    func execute(_ command: Command, id: CommandID? = nil) async throws(LedgerError) -> Outcome {
        try await execute([Submission(command, id: id, actor: .cli)])[0]
    }

    func download(_ id: DownloadID) throws(LedgerError) -> Download? { try read { $0.queue[id] } }
}
