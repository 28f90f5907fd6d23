import LedgerAPI
import LedgerCoding
import LedgerEngine
import LedgerModel
import LedgerViews

/// How a ledger stood after one of its events, as the API says it.
struct StateView: Sendable {
    /// What it can say.
    enum Part: String, CaseIterable {
        case queue, catalog, digest
    }

    /// The state.
    let state: LedgerState
    /// How its rows are shown.
    let rows: RowView

    /// The number of the event, how many downloads there are in each state, and what else is asked for.
    /// - Parameters:
    ///   - running: what runs; nothing did in the past.
    ///   - rowsMax: the most rows of the queue, whose first they are, and of the catalog, whose newest they are.
    func json(_ parts: [Part], running: Set<DownloadID> = [], rowsMax: Int) -> JSONObject {
        var object: JSONObject = [
            "seq": JSONValue(state.sequence.rawValue), "counts": StateCounts(state.queue).json(running: running),
        ]
        for part in parts {
            switch part {
            case .queue:
                object["queue"] = .array(state.queue.liveDownloads.prefix(rowsMax).map(row))
            case .catalog:
                let newest = state.catalog.files.suffix(rowsMax).reversed()
                object["catalog"] = .array(newest.compactMap { state.queue[$0] }.map(row))
            case .digest: object["digest"] = .string(StateSnapshot.digest(of: state).description)
            }
        }
        return object
    }

    private func row(_ download: Download) -> JSONValue {
        rows.json(DownloadRow(download), download, at: state.sequence)
    }
}
