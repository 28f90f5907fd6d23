import LedgerAPI
import LedgerCoding
import LedgerHolder
import LedgerModel

/// How many downloads are in each state; running ones count as queued in what the log says.
struct StateCounts: Sendable {
    private let counts: [DownloadState: UInt64]

    /// The counts of a queue.
    init(_ queue: Queue) {
        counts = queue.counts.states.mapValues { UInt64($0) }
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
            guard let count = counts[state], count > 0 else { continue }
            object[state.rawValue] = .uint(count)
        }
        return .object(object)
    }
}
