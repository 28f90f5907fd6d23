import LedgerAPI
import LedgerCoding
import LedgerEngine
import LedgerHolder
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
    /// Who knows what runs; nil where it is of the past, when nothing did.
    let service: LedgerService?

    /// The number of the event, how many downloads there are in each state, and what else is asked for.
    /// - Parameter rowsMax: the most rows of the queue, whose first they are, and of the catalog, whose newest they
    ///   are.
    func json(_ parts: [Part], rowsMax: Int) -> JSONObject {
        let makeRow = service?.makeRow ?? { DownloadRow($0) }
        let row = { rows.json(makeRow($0), $0, at: state.sequence) }
        var object: JSONObject = ["seq": JSONValue(state.sequence.rawValue), "counts": counts]
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

    /// How many downloads are in each state that there is.
    private var counts: JSONValue {
        let counts = state.queue.states(running: service?.running ?? [])
        var object: JSONObject = [:]
        for state in DownloadState.allCases {
            guard let count = counts[state], count > 0 else { continue }
            object[state.rawValue] = JSONValue(count)
        }
        return .object(object)
    }
}
