package import LedgerModel
import LedgerSystem

/// A plan, with the downloads it starts as they were when it was made.
package struct Work: Sendable {
    /// What to start, to stop, and when to look again.
    package let plan: Plan
    /// The downloads of `plan.start`, in its order.
    package let starting: [Download]
    /// What of that which rests could run if it did not.
    package let resting: Set<Lease>
    /// Whether there was no room in the home for what was to be recorded last.
    let isFull: Bool
    /// How the orders of what goes on say to fetch.
    package let options: [(lease: Lease, options: Shared<TransferOptions>)]

    /// Whether something waits that a host to which there is no way may hold back.
    let isHeldBack: Bool

    /// Whether anything is left to do besides what runs.
    package var isLeft: Bool { !plan.start.isEmpty || !resting.isEmpty || isHeldBack || plan.wakeAt != nil }
}

extension Ledger {
    /// What should run now, given what does.
    /// - Parameters:
    ///   - finishing: what of that which runs takes no slot any more.
    ///   - resting: leases that are not started, though they might be.
    ///   - lostHosts: hosts from which nothing is started, since there is no way to them.
    package func plan(
        running: Set<Lease>, finishing: Set<Lease> = [], resting: Set<Lease> = [], lostHosts: Set<String> = [],
        limits: Limits
    ) throws(LedgerError) -> Work {
        let now = world.clock.now()
        // What an opening found undone is done now: an idle ledger is not asked again.
        prepareSoon()
        let local = world.clock.local
        let isFull = isFull
        let work = try read { state in
            // Looked at where it stands, and no closure goes over the state: each would be a copy of it.
            let downloads = state.queue.downloads
            var rested: Set<Lease> = []
            for lease in resting {
                guard let place = downloads.index(of: lease.id) else { continue }
                if downloads[place].lease == lease, downloads[place].phase.mayRun { rested.insert(lease) }
            }
            let plan = state.queue.plan(
                running: running, finishing: finishing, resting: Set(rested.map(\.id)), lostHosts: lostHosts,
                limits: limits, at: now, local: local)
            var options: [(Lease, Shared<TransferOptions>)] = []
            for lease in running where !plan.stop.contains(lease) {
                if let own = state.queue.options(of: lease.id) { options.append((lease, own)) }
            }
            return Work(
                plan: plan, starting: plan.start.compactMap { downloads[$0.id] }, resting: rested, isFull: isFull,
                options: options, isHeldBack: !lostHosts.isEmpty && state.queue.hasWaiting)
        }
        busy = Set((work.plan.start + running).map(\.id))
        return work
    }
}
