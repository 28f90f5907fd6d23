/// What stands before a download that does not run.
package enum Obstacle: Hashable, Sendable {
    /// A user paused it.
    case paused
    /// It has ended: nothing will happen by itself.
    case ended(Phase)
    /// It waits for its next attempt after a failure.
    case retry(at: Timestamp, Failure)
    /// Its order names an instant that has not come.
    case notBefore(Timestamp)
    /// It is not one of the hours in which it (or with `isOfAll` any download) may run.
    case hours(DailyWindow, isOfAll: Bool, opensAt: Timestamp)
    /// As many run from its host as may.
    case host(String, runningMax: Int)
    /// As many run in all as may.
    case limit(runningMax: Int)
    /// So many stand before it in the queue, and there is no slot left behind them.
    case ahead(Int)
    /// Its disk was full, and has no room for what is missing of it yet.
    case noRoom(bytes: UInt64, directory: String)
    /// Who runs the queue says, in words, why it is not begun: nothing may be, or there is no way to its host.
    case hindered(String)
}

extension Queue {
    /// Everything that stands before a download, the gravest first; empty when it runs, or starts with the next plan.
    /// O(queue).
    /// - Parameter running: what workers do now.
    package func obstacles(
        before id: DownloadID, running: Set<Lease>, limits: Limits, at now: Timestamp, local: LocalTime = .utc
    ) -> [Obstacle] {
        guard let download = downloads[id] else { return [] }
        switch download.phase {
        case .paused: return [.paused]
        case .completed, .missing, .altered, .failed, .cancelled, .deleted: return [.ended(download.phase)]
        case .publishing: return []
        case .queued, .waiting: break
        }
        guard !running.contains(download.lease) else { return [] }
        var obstacles: [Obstacle] = []
        if case .waiting(let until) = download.phase, until > now {
            obstacles.append(download.failure.map { .retry(at: until, $0.value) } ?? .notBefore(until))
        }
        for (window, isOfAll) in [(limits.window, true), (download.order.options.value.window, false)] {
            guard let window, !window.isOpen(at: now, local) else { continue }
            obstacles.append(.hours(window, isOfAll: isOfAll, opensAt: window.opening(from: now, local)))
        }
        let busy = Set(running.map(\.id))
        let host = download.order.url.host
        let fromHost = busy.count { downloads[$0]?.order.url.host == host }
        if fromHost >= limits.runningPerHostMax { obstacles.append(.host(host, runningMax: limits.runningPerHostMax)) }
        if busy.count >= limits.runningMax { obstacles.append(.limit(runningMax: limits.runningMax)) }
        let starts = plan(running: running, limits: limits, at: now, local: local).start.contains(download.lease)
        // What waits for an instant is not in the line yet.
        if !starts, obstacles.allSatisfy({ $0.endsAt == nil }) {
            let ahead = liveDownloads.prefix { $0.key < download.key }.count {
                !busy.contains($0.id) && $0.isDue(at: now)
            }
            if ahead > 0 { obstacles.append(.ahead(ahead)) }
        }
        return obstacles
    }
}

extension Obstacle {
    /// The instant at which it passes; nil when that hangs on something else.
    package var endsAt: Timestamp? {
        switch self {
        case .retry(let instant, _), .notBefore(let instant), .hours(_, _, let instant): instant
        case .paused, .ended, .host, .limit, .ahead, .noRoom, .hindered: nil
        }
    }
}

extension Download {
    /// Whether it could start at an instant but for hours and limits.
    package func isDue(at now: Timestamp) -> Bool {
        switch phase {
        case .queued: true
        case .waiting(let until): until <= now
        case .paused, .publishing, .completed, .missing, .altered, .failed, .cancelled, .deleted: false
        }
    }
}
