import LedgerAPI
import LedgerCoding
import LedgerHolder
import LedgerModel

/// How many downloads are in each state.
struct StateCounts: Sendable {
    private let counts: [DownloadState: Int]

    /// The counts of a queue.
    /// - Parameter running: what runs, which counts as queued in what the log says.
    init(_ queue: Queue, running: Set<DownloadID>) { counts = queue.states(running: running) }

    /// The count of each state that there is.
    var json: JSONValue {
        var object: JSONObject = [:]
        for state in DownloadState.allCases {
            guard let count = counts[state], count > 0 else { continue }
            object[state.rawValue] = JSONValue(count)
        }
        return .object(object)
    }
}
