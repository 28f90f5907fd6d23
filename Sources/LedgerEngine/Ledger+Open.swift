import LedgerLog
package import LedgerModel
import LedgerSystem

extension Ledger {
    /// How many events the log may hold beyond the last snapshot before closing saves another.
    static let snapshotLagEventsMax: UInt64 = 20_000
    /// How many snapshots are kept, besides the one that stands for what was compacted.
    static let snapshotsMax = 2

    /// Takes the ledger in `home`, creating it on first use: locks, recovers the log, and folds it.
    ///
    /// - Throws: ``LedgerError``: another process holds it, the log is damaged, or the disk failed. Nothing was changed
    ///   then but what recovery itself put right.
    package static func open(
        _ home: LedgerHome, world: World, limits: Limits = Limits()
    ) async throws(LedgerError) -> Ledger {
        let executor = ThreadExecutor(name: "ledger")
        let opening = LedgerOpening(executor: executor)
        do throws(LedgerError) {
            return try await opening.open(home, world, limits)
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

    func open(_ home: LedgerHome, _ world: World, _ limits: Limits) throws(LedgerError) -> Ledger {
        let log = try FileEventLog.open(home, world)
        let state = try LedgerReading(home: home, world: world).state()
        guard state.sequence == log.lastSequence else {
            throw .log(
                LogError(
                    .corrupted, "the log holds \(log.lastSequence) events and \(state.sequence) could be folded",
                    next: "'ledger verify' shows where they part"))
        }
        return Ledger(home: home, world: world, limits: limits, executor: executor, log: log, state: state)
    }
}
