import LedgerEngine
import LedgerLog
import LedgerModel
import LedgerSystem
import LedgerTestSupport
import Synchronization

/// Drives a real ledger through a simulated past.
struct LogMaker {
    private let ledger: Ledger
    private let clock: ManualClock
    private let scale: LogScale
    private var simulation: Simulation

    /// Creates the ledger, whose identity and salts come from the seed as everything else does.
    /// - Throws: ``LedgerError`` when it can not be created; a ``Trouble`` when there is one already.
    init(
        home: LedgerHome, fileSystem: any FileSystem, scale: LogScale, milestones: Milestones = Ledger.milestones
    ) async throws {
        let clock = ManualClock(scale.sessionStart(after: 0))
        let numbers = Mutex(scale.chance(.log, 0))
        let world = World(
            fileSystem: fileSystem, clock: clock, random: { numbers.withLock { $0.next() } },
            blocking: BlockingPool(threads: 1))
        let ledger = try await Ledger.open(
            home, world: world, limits: Limits(runningMax: Simulation.runningMax, runningPerHostMax: 8),
            milestones: milestones)
        guard ledger.lastSequence == .zero else {
            await ledger.close()
            throw Trouble.notEmpty(ledger.lastSequence)
        }
        self.ledger = ledger
        self.clock = clock
        self.scale = scale
        simulation = Simulation(scale)
    }

    /// Lets everything happen, and closes the ledger.
    /// - Returns: the state it ends in.
    mutating func run() async throws -> LedgerState {
        while simulation.recorded < scale.events {
            clock.setWall(simulation.nextInstant(after: clock.now()))
            let (now, before) = (clock.now(), simulation)
            let (submissions, after) = try await ledger.read { state in
                var simulation = before
                return (simulation.step(state, at: now), simulation)
            }
            simulation = after
            let outcomes = try await ledger.execute(submissions)
            try simulation.take(outcomes, of: submissions)
        }
        let state = try await ledger.read { $0 }
        await ledger.close()
        return state
    }

    /// Why no log was made.
    enum Trouble: Error, CustomStringConvertible {
        case notEmpty(SequenceNumber)
        case refused(Submission, Rejection)

        var description: String {
            switch self {
            case .notEmpty(let last):
                "there is a ledger with \(last) events already: give a directory that is empty or not there yet"
            case .refused(let submission, let rejection):
                "the ledger refused \(submission.command) of a simulated worker: \(rejection)"
            }
        }
    }
}
