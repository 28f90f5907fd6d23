import SortedCollections

/// What should run, as a difference from what does.
package struct Plan: Hashable, Sendable {
    /// Downloads to start, in this order.
    package var start: [Lease] = []
    /// Workers to stop: their leases have passed.
    package var stop: [Lease] = []
    /// When to plan again, if nothing happens before.
    package var wakeAt: Timestamp?

    /// Nothing to do.
    package init() {}
}

extension Queue {
    /// Says what should run now, given what does.
    ///
    /// Reads the heads of the indexes: its cost grows with what it starts and what runs, never with the queue's length.
    package func plan(running: Set<Lease>, limits: Limits, at now: Timestamp) -> Plan {
        planCounting(running: running, limits: limits, at: now).plan
    }

    /// The plan, and how many hosts and downloads of the queue were looked at for it.
    func planCounting(running: Set<Lease>, limits: Limits, at now: Timestamp) -> (plan: Plan, looks: Int) {
        var plan = Plan()
        var slots = Slots(limits: limits)
        var busy = Set<DownloadID>()
        for lease in running {
            if let download = downloads[lease.id], download.epoch == lease.epoch, download.phase.mayRun {
                slots.take(download.order.url.host)
                busy.insert(lease.id)
            } else {
                plan.stop.append(lease)
            }
        }
        plan.stop.sort { ($0.id, $0.epoch) < ($1.id, $1.epoch) }
        // A verified file is published whatever the limits: no connection is needed for it.
        for id in publishing.sorted() where !busy.contains(id) {
            if let download = downloads[id] { plan.start.append(download.lease) }
        }
        let looks = fill(&slots, busy, at: now) { plan.start.append($0.lease) }
        let afterNow = WaitingKey(until: now, id: DownloadID(.max))
        plan.wakeAt = waiting.firstIndex(after: afterNow).map { waiting[$0].until }
        return (plan, looks)
    }

    /// Fills the free slots from two ordered sources: what is due again, and what is queued.
    /// - Returns: how many hosts and downloads were looked at.
    private func fill(
        _ slots: inout Slots, _ busy: Set<DownloadID>, at now: Timestamp, _ start: (Download) -> Void
    ) -> Int {
        var due = DueCursor(self, at: now, skipping: busy)
        var queued = HostCursors(ready, skipping: busy)
        while slots.hasRoom {
            let keys = [queued.next { slots.hasRoom(at: $0) }, due.next { slots.hasRoom(at: $0) }]
            guard let key = keys.compactMap({ $0 }).min(), let download = downloads[key.id] else { break }
            if key == keys[0] { queued.advance() } else { due.advance() }
            slots.take(download.order.url.host)
            start(download)
        }
        return due.looks + queued.looks
    }
}

/// What the limits still allow.
private struct Slots {
    private var free: Int
    private let perHostMax: Int
    private var taken: [String: Int] = [:]

    init(limits: Limits) {
        free = limits.runningMax
        perHostMax = limits.runningPerHostMax
    }

    var hasRoom: Bool { free > 0 && perHostMax > 0 }

    func hasRoom(at host: String) -> Bool { taken[host, default: 0] < perHostMax }

    mutating func take(_ host: String) {
        free -= 1
        taken[host, default: 0] += 1
    }
}
