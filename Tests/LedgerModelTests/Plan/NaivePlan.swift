import LedgerModel

/// A plan made by looking at everything: what `Queue.plan` must equal.
func naivePlan(_ queue: Queue, running: Set<Lease>, limits: Limits, at now: Timestamp) -> Plan {
    var plan = Plan()
    var (free, taken, busy) = (limits.runningMax, [String: Int](), Set<DownloadID>())
    for lease in running {
        if let download = queue[lease.id], download.lease == lease, download.phase.mayRun,
            download.phase == .publishing || naiveHours(download, limits, at: now)
        {
            free -= 1
            taken[download.order.url.host, default: 0] += 1
            busy.insert(lease.id)
        } else {
            plan.stop.append(lease)
        }
    }
    plan.stop.sort { ($0.id, $0.epoch) < ($1.id, $1.epoch) }
    let idle = queue.downloads.filter { !busy.contains($0.id) }
    plan.start = idle.filter { $0.phase == .publishing }.sorted { $0.id < $1.id }.map(\.lease)
    for download in idle.sorted(by: { $0.key < $1.key }) {
        let isReady: Bool
        switch download.phase {
        case .queued: isReady = true
        case .waiting(let until): isReady = until <= now
        case .paused, .publishing, .completed, .missing, .altered, .failed, .cancelled, .deleted: isReady = false
        }
        let host = download.order.url.host
        guard isReady, naiveHours(download, limits, at: now), free > 0,
            taken[host, default: 0] < limits.runningPerHostMax
        else { continue }
        free -= 1
        taken[host, default: 0] += 1
        plan.start.append(download.lease)
    }
    plan.wakeAt = queue.downloads.flatMap { download -> [Timestamp] in
        let window = download.order.options.value.window
        let changes = [window, limits.window].compactMap(\.self).map { naiveChange($0, after: now) }
        switch download.phase {
        case .queued: return changes
        case .waiting(let until): return changes + (until > now ? [until] : [])
        case .paused, .publishing, .completed, .missing, .altered, .failed, .cancelled, .deleted: return []
        }
    }.min()
    return plan
}

private func naiveHours(_ download: Download, _ limits: Limits, at now: Timestamp) -> Bool {
    [download.order.options.value.window, limits.window].compactMap(\.self).allSatisfy { $0.isOpen(at: now, .utc) }
}

/// The next whole minute at which a window is not what it is now.
private func naiveChange(_ window: DailyWindow, after now: Timestamp) -> Timestamp {
    var next = Timestamp(milliseconds: (now.milliseconds / 60_000 + 1) * 60_000)
    while window.isOpen(at: next, .utc) == window.isOpen(at: now, .utc) { next = next.advanced(by: .seconds(60)) }
    return next
}
