package import LedgerAPI
package import LedgerEngine
import LedgerModel
import LedgerSystem
import LedgerTransfer
import Synchronization
import SystemPackage

/// A ledger that this process holds: the log, the workers, the HTTP engine and the socket, composed.
///
/// It answers the same requests in-process (it is a `LedgerClient`) and over its socket.
package final class LedgerService: Sendable {
    /// The log and its projections.
    package let ledger: Ledger
    let pool: WorkerPool
    let reconciler: Reconciler
    let secrets: SecretStore
    let assignments: AssignmentMaker
    let keeper: LibraryKeeper
    let configuration: ServiceConfiguration
    /// What may run now, and how long the queue may be.
    let limits: Mutex<Limits>
    /// What the trash may hold now.
    let trash: Mutex<TrashLimits>
    /// When it compacts itself, as of now.
    let compaction: Watched<CompactionSchedule>
    private let ownNow: Watched<OwnDefaults>
    /// Where this process serves the API of the ledger now, and where files of its clients go.
    let served = Mutex<[(address: String, directory: String)]>([])
    /// Whether this process is to end soon.
    let isDraining = Atomic(false)
    /// What hooks are at.
    let hookWork = HookWork()
    /// Tells hooks of the rest at the end of a run; nil before that.
    let lastTelling = Mutex<Task<Void, Never>?>(nil)
    private let transport: any Transport
    private let server: ControlServer

    private init(
        ledger: Ledger, pool: WorkerPool, reconciler: Reconciler, secrets: SecretStore,
        assignments: AssignmentMaker, keeper: LibraryKeeper, transport: any Transport, own: Watched<OwnDefaults>,
        configuration: ServiceConfiguration
    ) {
        self.ledger = ledger
        self.pool = pool
        self.reconciler = reconciler
        self.secrets = secrets
        self.assignments = assignments
        self.keeper = keeper
        self.transport = transport
        ownNow = own
        self.configuration = configuration
        limits = Mutex(configuration.limits)
        trash = Mutex(configuration.trash)
        compaction = Watched(configuration.compaction)
        server = ControlServer(path: ledger.home.socket)
    }

    /// Takes the ledger in `home`, creating it on first use, and serves its socket.
    /// - Throws: ``LedgerError``: held by another process, damaged, or the disk failed.
    package static func open(
        _ home: LedgerHome, _ configuration: ServiceConfiguration = ServiceConfiguration(), world: World = .system()
    ) async throws(LedgerError) -> LedgerService {
        let ledger = try await Ledger.open(home, world: world, limits: configuration.limits)
        let secrets: SecretStore
        do throws(FileError) {
            secrets = try SecretStore(home.secrets, fileSystem: world.fileSystem, random: world.random)
        } catch {
            await ledger.close()
            throw .file(error)
        }
        let assignments = AssignmentMaker(secrets: secrets, ledgerPrefix: ledger.identityPrefix)
        let reconciler = Reconciler(
            ledger: ledger, assignments: assignments, notice: configuration.notice)
        let transport = configuration.transport()
        let reporting = LedgerReporting(ledger: ledger, notice: configuration.notice)
        let limiter = RateLimiter(bytesPerSecondMax: configuration.bytesPerSecondMax, at: world.clock.uptime())
        let worker = DownloadWorker(
            transport: transport, fileSystem: world.fileSystem, clock: world.clock, blocking: world.blocking,
            publication: Publication(
                fileSystem: world.fileSystem, blocking: world.blocking, reporting: reporting,
                executor: transport.executor),
            reporting: reporting, limiter: limiter,
            settings: configuration.transfer, jitter: { world.fraction() })
        let pool = WorkerPool(
            ledger: ledger, worker: worker, assignments: assignments, reconciler: reconciler,
            limits: configuration.limits, mayRun: configuration.mayRun)
        let own = Watched(configuration.own)
        let keeper = LibraryKeeper(
            ledger: ledger, reconciler: reconciler, secrets: secrets,
            fetch: ListingFetch(
                documents: DocumentFetch(transport: transport, clock: world.clock, settings: configuration.transfer),
                secrets: secrets, world: world, ledgerPrefix: ledger.identityPrefix, own: own),
            notice: configuration.notice)
        let service = LedgerService(
            ledger: ledger, pool: pool, reconciler: reconciler, secrets: secrets, assignments: assignments,
            keeper: keeper, transport: transport, own: own, configuration: configuration)
        if configuration.servesSocket {
            do throws(FileError) { try service.server.start(service, world.fileSystem) } catch {
                await service.close()
                throw .file(error)
            }
        }
        return service
    }

    /// What holds for what is ordered for others, as of now.
    package var own: OwnDefaults { ownNow.withLock { $0 } }

    /// From now on this holds for it.
    func take(_ own: OwnDefaults) { ownNow.withLock { $0 = own } }

    /// Reconciles, then downloads until nothing is left to do and hooks are told, for ever, or until ``drain()``.
    package func run(untilIdle: Bool) async throws(LedgerError) {
        while try await work(untilIdle: untilIdle) {}
    }

    /// Whether a hook did not take an event, and was not told of it since.
    package var isHookBehind: Bool { hookWork.isAnyBehind }

    /// - Returns: whether something came to an end that nobody was told of.
    private func work(untilIdle: Bool) async throws(LedgerError) -> Bool {
        // A full disk holds up no download that has room of its own.
        do throws(LedgerError) { try await expireTrash() } catch { configuration.notice(Problem(error)) }
        // What is due in feeds is something to do too.
        if untilIdle, !isDraining.load(ordering: .relaxed) { try await keeper.catchUp() }
        let keeping = Task { await keeper.run() }
        let telling = Task { await tellHooks() }
        let trashing = Task { await tendTrash() }
        let naming = Task { await ledger.prepareIndexes() }
        // One that is under way goes on until the ledger is closed, which ends it.
        let compacting = Task { await compactWhenWorthIt() }
        defer { compacting.cancel() }
        let end: Result<Void, LedgerError>
        do throws(LedgerError) {
            end = .success(try await pool.run(untilIdle: untilIdle) { self.areHooksTold })
        } catch { end = .failure(error) }
        for task in [keeping, telling, trashing, naming] {
            task.cancel()
            await task.value
        }
        try end.get()
        // What came last may be too much for its group, and is to be told.
        try await keeper.settle()
        guard untilIdle, !configuration.hooks.isEmpty, !isDraining.load(ordering: .relaxed) else {
            await tellHooksOfTheRest()
            return false
        }
        return try await tellHooksAtWork()
    }

    /// Tells hooks of the rest; what they ask for, or anybody meanwhile, is worked on.
    /// - Returns: whether anything was.
    private func tellHooksAtWork() async throws(LedgerError) -> Bool {
        let begun = await pool.begun
        hookWork.noteRest(isTold: false)
        let rest = Task {
            await tellHooksOfTheRest()
            hookWork.noteRest(isTold: true)
            pool.reconsider()
        }
        let end: Result<Void, LedgerError>
        do throws(LedgerError) {
            end = .success(try await pool.run(untilIdle: true, isReconciled: true) { self.hookWork.isRestTold })
        } catch { end = .failure(error) }
        await rest.value
        try end.get()
        let hasWorked = await pool.begun > begun
        return hasWorked && !isDraining.load(ordering: .relaxed)
    }

    /// Stops every worker once what it holds is durable and recorded; ``run(untilIdle:)`` returns then.
    package func drain() async {
        isDraining.store(true, ordering: .relaxed)
        hookWork.end()
        lastTelling.withLock { $0 }?.cancel()
        reconciler.hurry()
        await keeper.stop()
        await pool.drain()
    }

    /// Notes where the API of the ledger is served from now on, as `HOST:PORT`: who asks this process to leave learns
    /// which addresses come free.
    /// - Parameter directory: where files of clients go when they say nothing else.
    package func serves(at address: String, into directory: String) {
        served.withLock { $0.append((address, directory)) }
    }

    /// Notes that the API is served at an address no more.
    package func servesNoMore(at address: String) { served.withLock { $0.removeAll { $0.address == address } } }

    /// Asks at once whether anything may be downloaded now.
    package func reconsider() { pool.reconsider() }

    /// Ends the socket, the connections and the log. What is staged is made durable first, and files that are on their
    /// way are where they belong.
    package func close() async {
        server.stop()
        await reconciler.close()
        await ledger.close()
        await transport.shutdown()
    }
}
