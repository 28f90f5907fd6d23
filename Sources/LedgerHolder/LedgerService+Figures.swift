package import LedgerAPI
import LedgerEngine
package import LedgerModel

/// How a ledger that is at work fares, in numbers.
package struct ServiceFigures: Hashable, Sendable {
    /// How many workers are at work.
    package var running: Int
    /// The bytes that were received since the ledger was opened.
    package var receivedBytes: UInt64
    /// The bytes that all of them receive in a second.
    package var bytesPerSecond: UInt64
    /// How many downloads have a place in the queue, those that run among them.
    package var live: Int
    /// How many downloads are in each state; every state is there. What waits for its hours or for a better network
    /// counts as queued.
    package var states: [DownloadState: Int]
}

extension LedgerService {
    /// How it fares at this instant. Takes time for what runs, and none for what else there is.
    package func figures() async throws(Problem) -> ServiceFigures {
        let live = pool.live
        let (liveCount, states) = try await read { state in
            (state.queue.liveCount, state.queue.states(running: Set(live.keys)))
        }
        return ServiceFigures(
            running: live.count, receivedBytes: pool.receivedBytes,
            bytesPerSecond: live.values.reduce(0) { $0 + ($1.rate ?? 0) }, live: liveCount,
            states: states)
    }
}

extension Queue {
    /// How many downloads are in each state; every state is there.
    /// - Parameter running: those with a worker, which the log does not tell.
    package func states(running: Set<DownloadID>) -> [DownloadState: Int] {
        var states: [DownloadState: Int] = [:]
        for phase in PhaseCounts.phases { states[DownloadState(phase, isRunning: false), default: 0] += counts[phase] }
        // A worker that has just begun or ended may be ahead of the log.
        let runs = running.count { self[$0]?.phase == .queued }
        states[.queued, default: 0] -= runs
        states[.running, default: 0] += runs
        return states
    }
}
