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
    /// How many due downloads one plan looks at; the others are looked at once these have started or failed.
    static let dueDownloadsMax = 1024

    /// Says what should run now, given what does.
    ///
    /// Reads the heads of the indexes: its cost grows with what it starts and what runs, never with the queue's length.
    package func plan(running: Set<Lease>, limits: Limits, at now: Timestamp) -> Plan {
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
        fill(&slots, busy, at: now) { plan.start.append($0.lease) }
        let afterNow = WaitingKey(until: now, id: DownloadID(.max))
        plan.wakeAt = waiting.firstIndex(after: afterNow).map { waiting[$0].until }
        return plan
    }

    /// Fills the free slots from two ordered sources: what is due again, and what is queued.
    private func fill(_ slots: inout Slots, _ busy: Set<DownloadID>, at now: Timestamp, _ start: (Download) -> Void) {
        var due = waiting.lazy.prefix { $0.until <= now }.prefix(Queue.dueDownloadsMax)
            .compactMap { busy.contains($0.id) ? nil : downloads[$0.id]?.key }.sorted()[...]
        var cursors = HostCursors(ready, skipping: busy)
        while slots.hasRoom {
            let queued = cursors.next { slots.hasRoom(at: $0) }
            while let key = due.first, let host = downloads[key.id]?.order.url.host, !slots.hasRoom(at: host) {
                due.removeFirst()
            }
            guard let key = [queued, due.first].compactMap({ $0 }).min(), let download = downloads[key.id] else {
                return
            }
            if key == queued { cursors.advance() } else { due.removeFirst() }
            slots.take(download.order.url.host)
            start(download)
        }
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

    var hasRoom: Bool { free > 0 }

    func hasRoom(at host: String) -> Bool { taken[host, default: 0] < perHostMax }

    mutating func take(_ host: String) {
        free -= 1
        taken[host, default: 0] += 1
    }
}
