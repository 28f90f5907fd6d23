package import LedgerAPI
package import LedgerEngine
package import LedgerModel

extension LedgerService {
    /// What runs now.
    package var running: Set<DownloadID> { Set(pool.live.keys) }

    /// The bytes that all of them receive in a second now.
    package var bytesPerSecond: UInt64 { pool.live.values.reduce(0) { $0 + ($1.rate ?? 0) } }

    /// Waits until there is something to look at: an event after `sequence`, or, where nothing `ran` at the last look,
    /// a worker at work, or another reason why nothing may run than `known`. What runs changes all the time: it is
    /// looked at after `pause`.
    package func waitForNews(
        after sequence: SequenceNumber, ran: Set<DownloadID>, unless known: Hindrances, atMost pause: Duration?
    ) async {
        guard ran.isEmpty else { return await ledger.waitForEvents(after: sequence, atMost: pause) }
        await ledger.waitForEvents(after: sequence, atMost: pause) { [pool] in
            await pool.waitForWork(unless: known)
        }
    }

    /// Waits until something runs, or the task is cancelled.
    package func waitForWork() async { await pool.waitForWork(unless: pool.hindrances) }

    /// Has workers begin anew, with the order as it is now, from what they hold: nothing of it is fetched again.
    package func restart(_ ids: Set<DownloadID>) async throws(Problem) {
        do throws(LedgerError) { try await pool.halting(ids) {} } catch { throw Problem(error) }
    }

    /// What keeps downloads from being begun now.
    package var hindrances: Hindrances { pool.hindrances }

    /// Shows a download as it is at this instant.
    package var makeShown: @Sendable (Download) -> ShownDownload {
        let maker = rowMaker
        return { maker.shown($0) }
    }

    /// Makes the row of a download as it is at this instant.
    package var makeRow: @Sendable (Download) -> DownloadRow {
        let maker = rowMaker
        return { maker.row($0) }
    }
}
