package import LedgerModel
import LedgerSystem

/// A plan, with the downloads it starts as they were when it was made.
package struct Work: Sendable {
    /// What to start, to stop, and when to look again.
    package let plan: Plan
    /// The downloads of `plan.start`, in its order.
    package let starting: [Download]
}

extension Ledger {
    /// What should run now, given what does.
    package func plan(running: Set<Lease>, limits: Limits) throws(LedgerError) -> Work {
        let now = world.clock.now()
        // The pool asks at least once a minute: an idle ledger's head does not lag for longer.
        prepareSoon()
        return try read { state in
            let plan = state.queue.plan(running: running, limits: limits, at: now)
            return Work(plan: plan, starting: plan.start.compactMap { state.queue[$0.id] })
        }
    }
}
