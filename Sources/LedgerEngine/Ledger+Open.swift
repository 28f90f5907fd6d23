package import LedgerLog
package import LedgerModel
import LedgerSystem

extension Ledger {
    /// How many events the log may hold beyond the last snapshot before closing saves another.
    static let snapshotLagEventsMax: UInt64 = 20_000
    /// How many snapshots are kept, besides milestones and the one that stands for what was compacted.
    static let snapshotsMax = 2
    /// The snapshots that are kept so that a look at any moment of the past folds no more than 200,000 events, which
    /// takes less than a second, while there are no more than 1.6 million.
    package static let milestones = Milestones(stepEvents: 200_000, countMax: 8)

    /// Takes the ledger in `home`, creating it on first use: locks, recovers the log, and folds it.
    ///
    /// - Throws: ``LedgerError``: another process holds it, the log is damaged, or the disk failed. Nothing was changed
    ///   then but what recovery itself put right.
    /// - Parameters:
    ///   - milestones: after how many events a snapshot is saved while the ledger is held, and which are kept.
    ///   - log: how the log's files are laid out.
    package static func open(
        _ home: LedgerHome, world: World, limits: Limits = Limits(),
        milestones: Milestones = milestones, log: LogConfiguration = LogConfiguration()
    ) async throws(LedgerError) -> Ledger {
        let executor = ThreadExecutor(name: "ledger", handingTo: world.taker)
        let opening = LedgerOpening(executor: executor)
        do throws(LedgerError) {
            return try await opening.open(home, world, limits, milestones, log)
        } catch {
            executor.stop()
            throw error
        }
    }

    /// The first digits of the ledger's identity, as part files carry them.
    package nonisolated var identityPrefix: String { String(identity.prefix(8)) }
}

/// Opens the log on the thread that the ledger will live on, since recovery blocks.
private actor LedgerOpening {
    let executor: ThreadExecutor

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(executor: ThreadExecutor) { self.executor = executor }

    func open(
        _ home: LedgerHome, _ world: World, _ limits: Limits, _ milestones: Milestones,
        _ configuration: LogConfiguration
    ) throws(LedgerError) -> Ledger {
        let (begin, meters) = (world.clock.uptime(), LedgerMeters(world.metrics))
        let reading = LedgerReading(home: home, world: world)
        var start: BesideCaller<FoldStart?>?
        // Whatever becomes of the opening, nobody reads on behind it.
        defer { _ = start?.take() }
        let log = try FileEventLog.open(home, world, milestones, configuration) { start = reading.startBeside() }
        let isLong = log.byteCount >= LargePages.readBytesMin
        let state = try LargePages.during(where: isLong) { () throws(LedgerError) in
            try reading.state(from: start?.take() ?? nil, through: log.lastSequence, root: log.root)
        }
        guard state.sequence == log.lastSequence else {
            throw .log(
                LogError(
                    .corrupted, "the log holds \(log.lastSequence) events and \(state.sequence) could be folded",
                    next: "'ledger verify' shows where they part"))
        }
        let schedule = SnapshotSchedule(stepEvents: milestones.stepEvents, last: try log.lastSnapshot())
        // Reading a long log takes several times what its state does.
        CurrentProcess.releaseFreedMemory()
        meters.open(took: world.clock.uptime() - begin, logBytes: log.byteCount)
        return Ledger(
            home: home, world: world, limits: limits, executor: executor, log: log, state: state, schedule: schedule,
            meters: meters)
    }
}
