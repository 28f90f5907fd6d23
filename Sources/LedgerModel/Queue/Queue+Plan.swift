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
    /// Whether anything is queued, or waits to be tried again: that phase counts whatever instant is waited for.
    package var hasWaiting: Bool { counts[.queued] + counts[.waiting(until: Timestamp(milliseconds: 0))] > 0 }

    /// Says what should run now, given what does.
    ///
    /// Reads the heads of the indexes: its cost grows with what it starts, what runs and how many different hours
    /// downloads have, never with the queue's length.
    /// - Parameters:
    ///   - finishing: what of that which runs has all its bytes and waits for its hash and the disk alone: it takes no
    ///     slot, since no connection is needed for it, and goes on whatever the hour.
    ///   - resting: downloads that are not started, though they might be.
    ///   - lostHosts: hosts from which nothing is started, since there is no way to them.
    package func plan(
        running: Set<Lease>, finishing: Set<Lease> = [], resting: Set<DownloadID> = [], lostHosts: Set<String> = [],
        limits: Limits, at now: Timestamp, local: LocalTime = .utc
    ) -> Plan {
        planCounting(
            running: running, finishing: finishing, resting: resting, lostHosts: lostHosts, limits: limits, at: now,
            local: local
        ).plan
    }

    /// The plan, and how many lanes and downloads of the queue were looked at for it.
    func planCounting(
        running: Set<Lease>, finishing: Set<Lease> = [], resting: Set<DownloadID> = [], lostHosts: Set<String> = [],
        limits: Limits, at now: Timestamp, local: LocalTime = .utc
    ) -> (plan: Plan, looks: Int) {
        var plan = Plan()
        let hours = Hours(self, under: limits.window, at: now, local)
        var slots = Slots(limits: limits, lostHosts: lostHosts, hours)
        var busy = Set<DownloadID>(minimumCapacity: running.count)
        for lease in running {
            let isFinishing = finishing.contains(lease)
            // Where it stands: a copy counts a dozen references.
            if let place = downloads.index(of: lease.id), downloads[place].epoch == lease.epoch,
                downloads[place].phase.mayRun,
                isFinishing || downloads[place].phase == .publishing
                    || hours.areOpen(downloads[place].order.options.value.window)
            {
                if !isFinishing { slots.take(downloads[place].order.url.host) }
                busy.insert(lease.id)
            } else {
                plan.stop.append(lease)
            }
        }
        plan.stop.sort { ($0.id, $0.epoch) < ($1.id, $1.epoch) }
        busy.formUnion(resting)
        // A verified file is published whatever the limits: no connection is needed for it.
        for id in publishing.sorted() where !busy.contains(id) {
            if let download = downloads[id] { plan.start.append(download.lease) }
        }
        let looks = fill(&slots, busy, at: now) { plan.start.append($0.lease) }
        let afterNow = WaitingKey(until: now, id: DownloadID(.max))
        let next = waiting.firstIndex(after: afterNow)
        let due = next < waiting.endIndex ? waiting[next].until : nil
        plan.wakeAt = [due, hours.change].compactMap(\.self).min()
        return (plan, looks)
    }

    /// Fills the free slots from two ordered sources: what is due again, and what is queued.
    /// - Returns: how many lanes and downloads were looked at.
    private func fill(
        _ slots: inout Slots, _ busy: Set<DownloadID>, at now: Timestamp, _ start: (Download) -> Void
    ) -> Int {
        var due = DueCursor(self, at: now, skipping: busy)
        var queued = LaneCursors(ready, skipping: busy)
        while slots.hasRoom {
            let keys = [queued.next { slots.hasRoom(in: $0) }, due.next { slots.hasRoom(in: $0) }]
            guard let key = keys.compactMap({ $0 }).min(), let download = downloads[key.id] else { break }
            if key == keys[0] { queued.advance() } else { due.advance() }
            slots.take(download.order.url.host)
            start(download)
        }
        return due.looks + queued.looks
    }
}

/// Which hours of the day it is now.
private struct Hours {
    private let closed: Set<DailyWindow>
    /// Whether nothing may run.
    let areOver: Bool
    /// When that changes for a download that waits or runs; nil when it never does.
    let change: Timestamp?

    init(_ queue: Queue, under window: DailyWindow?, at now: Timestamp, _ local: LocalTime) {
        closed = Set(queue.windows.keys.filter { !$0.isOpen(at: now, local) })
        areOver = window.map { !$0.isOpen(at: now, local) } ?? false
        var windows = Array(queue.windows.keys)
        if let window, queue.hasWaiting { windows.append(window) }
        change = windows.map { $0.change(after: now, local) }.min()
    }

    func areOpen(_ window: DailyWindow?) -> Bool { !areOver && !(window.map(closed.contains) ?? false) }
}

/// What the limits still allow.
private struct Slots {
    private var free: Int
    private let perHostMax: Int
    private let lostHosts: Set<String>
    private let hours: Hours
    private var taken: [String: Int] = [:]

    init(limits: Limits, lostHosts: Set<String>, _ hours: Hours) {
        free = limits.runningMax
        perHostMax = limits.runningPerHostMax
        self.lostHosts = lostHosts
        self.hours = hours
    }

    var hasRoom: Bool { free > 0 && perHostMax > 0 && !hours.areOver }

    func hasRoom(in lane: Lane) -> Bool {
        taken[lane.host, default: 0] < perHostMax && !lostHosts.contains(lane.host) && hours.areOpen(lane.window)
    }

    mutating func take(_ host: String) {
        free -= 1
        taken[host, default: 0] += 1
    }
}
