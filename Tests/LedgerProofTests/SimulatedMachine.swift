import LedgerEngine
import LedgerLog
import LedgerModel
import LedgerSystem
import LedgerTestSupport
import LedgerTransfer
import SystemPackage

/// The whole program but for its command line, on a simulated disk, network and clock: one life, from its start to its
/// end or to the cut of the power.
final class SimulatedMachine: Sendable {
    static let home = LedgerHome("/ledger")
    static let files = "/data/d"

    let ledger: Ledger
    let pool: WorkerPool
    let reconciler: Reconciler
    let assignments: AssignmentMaker
    /// The last event when it started.
    let openedAt: SequenceNumber
    private let work: Task<LedgerError?, Never>

    /// Small segments and frequent snapshots, so that every kind of boundary is met.
    private static var configuration: LogConfiguration {
        var small = LogConfiguration()
        (small.segmentBytesMax, small.zeroStepBytesMin, small.zeroStepBytesMax) = (4096, 2048, 2048)
        small.ballastBytes = 4096
        return small
    }

    private static let milestones = Milestones(stepEvents: 40, countMax: 3)

    /// The world in which machines start one after the other.
    static func world(
        _ disk: SimulatedDisk, _ clock: ManualClock, seed: UInt64, _ threads: SimulatedThreads
    ) -> World {
        World(
            fileSystem: disk, clock: clock, random: SharedChance(seed: seed).source,
            blocking: BlockingPool(handingTo: threads.callTaker), handingTo: threads.taker)
    }

    /// Takes the ledger in ``home`` and sets its workers to work.
    static func start(_ world: World, _ network: SimulatedNetwork) async throws -> SimulatedMachine {
        let limits = Limits(runningMax: 3)
        let ledger = try await Ledger.open(
            home, world: world, limits: limits, milestones: milestones, log: configuration)
        do {
            return try SimulatedMachine(ledger, network, limits)
        } catch {
            await ledger.close()
            throw error
        }
    }

    private init(_ ledger: Ledger, _ network: SimulatedNetwork, _ limits: Limits) throws {
        let world = ledger.world
        openedAt = ledger.lastSequence
        let secrets = try SecretStore(Self.home.secrets, fileSystem: world.fileSystem, random: world.random)
        let assignments = AssignmentMaker(secrets: secrets, ledgerPrefix: ledger.identityPrefix)
        let reconciler = Reconciler(ledger: ledger, assignments: assignments, notice: { _ in })
        let reporting = LedgerReporting(ledger: ledger, notice: { _ in })
        let worker = DownloadWorker(
            transport: network, fileSystem: world.fileSystem, clock: world.clock, blocking: world.blocking,
            publication: Publication(fileSystem: world.fileSystem, blocking: world.blocking, reporting: reporting),
            reporting: reporting, jitter: { world.fraction() })
        let pool = WorkerPool(
            ledger: ledger, worker: worker, assignments: assignments, reconciler: reconciler, limits: limits)
        work = Task {
            do throws(LedgerError) {
                try await pool.run(untilIdle: false)
                return nil
            } catch { return error }
        }
        (self.ledger, self.reconciler, self.assignments, self.pool) = (ledger, reconciler, assignments, pool)
    }

    /// Stops the workers and gives the ledger back; what a dead disk keeps from being done is not.
    func stop() async {
        await pool.drain()
        _ = await work.value
        await ledger.close()
    }

    /// Waits until no download is left that a worker could work on, for ten minutes at most: on a disk that stays full
    /// they wait for ever.
    func untilIdle() async throws {
        let clock = ledger.world.clock
        let deadline = clock.uptime() + .seconds(600)
        while clock.uptime() < deadline,
            try await ledger.read({ state in state.queue.downloads.contains { $0.phase.mayRun } })
        {
            try await clock.sleep(until: clock.uptime() + .milliseconds(250))
        }
    }
}
