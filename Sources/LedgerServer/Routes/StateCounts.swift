import LedgerAPI
import LedgerCoding
import LedgerModel

/// How many downloads are in each state; running ones count as queued in what the log says.
struct StateCounts: Sendable {
    private var counts: [DownloadState: UInt64] = [:]

    /// Counts a queue. O(downloads).
    init(_ queue: Queue) {
        for download in queue.downloads.values {
            counts[DownloadState(download.phase, isRunning: false), default: 0] += 1
        }
    }

    /// The count of each state that there is.
    /// - Parameter running: what runs now.
    func json(running: Set<DownloadID> = []) -> JSONValue {
        var counts = counts
        if !running.isEmpty {
            let queued = counts[.queued] ?? 0
            let runs = min(queued, UInt64(running.count))
            (counts[.queued], counts[.running]) = (queued - runs, runs)
        }
        var object: JSONObject = [:]
        for state in DownloadState.allCases {
            object[state.rawValue] = counts[state].flatMap { $0 > 0 ? JSONValue($0) : nil }
        }
        return .object(object)
    }
}
