package import LedgerLog
package import LedgerModel
import LedgerSystem

/// Repairs a ledger's log and has the ledger say so.
package struct LedgerRepair: Sendable {
    private let home: LedgerHome
    private let world: World

    /// A repair of the ledger in `home`.
    package init(home: LedgerHome, world: World) {
        self.home = home
        self.world = world
    }

    /// What a repair did.
    package struct Done: Sendable {
        /// What was cut; nil when an earlier repair had done that already, and it is on record now.
        package let plan: RepairPlan?
        /// What opening the ledger found and mended by itself.
        package let recovery: RecoveryReport
        /// The last event: `repaired`, when one was recorded.
        package let last: SequenceNumber
    }

    private var log: LogRepair {
        LogRepair(home: home.path, fileSystem: world.fileSystem, random: world.random) {
            StateSnapshot.state(of: $0) != nil
        }
    }

    /// What there is to repair; nil when opening the ledger is enough. Takes no lock and changes nothing. Blocks.
    package func examine() throws(LedgerError) -> RepairPlan? {
        do throws(LogError) { return try log.examine() } catch { throw .log(error) }
    }

    /// Whether a repair was cut short. Blocks.
    package func isUnfinished() throws(LedgerError) -> Bool {
        do throws(LogError) { return try log.pending() != nil } catch { throw .log(error) }
    }

    /// Repairs, opens the ledger, and records what was done, also when that was done by an earlier run that was cut
    /// short.
    /// - Parameter expected: what was agreed to; nil for whatever there is to do.
    /// - Throws: ``LedgerError/log(_:)``: `.locked`, damage that a repair does not mend, the disk.
    package func run(expecting expected: RepairPlan? = nil) async throws(LedgerError) -> Done {
        let log = log
        let plan: RepairPlan?
        let pending: PendingRepair?
        do throws(LogError) {
            (plan, pending) = try await world.blocking.run { () throws(LogError) in
                (try log.apply(expecting: expected), try log.pending())
            }
        } catch { throw .log(error) }
        let ledger = try await Ledger.open(home, world: world)
        do throws(LedgerError) {
            // What was put back from a copy since, or is on record already, is no repair of ours.
            if let pending, pending.lastAfter == ledger.lastSequence {
                let event = Maintenance.repaired(cut: pending.cutBytes, reason: pending.reason)
                _ = try await ledger.execute([Submission(.maintain(event), id: nil, actor: .maintenance)])
            }
        } catch {
            await ledger.close()
            throw error
        }
        await ledger.close()
        do throws(LogError) {
            try await world.blocking.run { () throws(LogError) in try log.finish() }
        } catch { throw .log(error) }
        return Done(plan: plan, recovery: ledger.recovery, last: ledger.lastSequence)
    }
}
