package import LedgerAPI
import LedgerEngine
import LedgerModel

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
        let (liveCount, counts, runs) = try await read { state in
            // A worker that has just begun or ended may be ahead of the log.
            let runs = live.keys.count { state.queue[$0]?.phase == .queued }
            return (state.queue.liveCount, state.queue.counts, runs)
        }
        var states = counts.states
        states[.queued, default: 0] -= runs
        states[.running, default: 0] += runs
        return ServiceFigures(
            running: live.count, receivedBytes: pool.receivedBytes,
            bytesPerSecond: live.values.reduce(0) { $0 + ($1.rate ?? 0) }, live: liveCount,
            states: states)
    }
}

extension PhaseCounts {
    /// How many downloads are in each state; every state but `running` is there, since the log does not tell that.
    package var states: [DownloadState: Int] {
        var states: [DownloadState: Int] = [:]
        for phase in Self.phases { states[DownloadState(phase, isRunning: false), default: 0] += self[phase] }
        return states
    }
}
