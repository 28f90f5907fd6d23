import LedgerAPI
import LedgerModel

/// What `add` says of downloads that were in the ledger already.
enum JoinedNotes {
    /// The most numbers in one line; the rest is counted.
    static let idsMax = 10

    /// A line for each state that some of them are in.
    static func lines(_ rows: [DownloadRow]) -> [String] {
        DownloadState.allCases.compactMap { state in
            let ids = Set(rows.filter { $0.state == state }.map(\.id)).sorted().map(\.description)
            return ids.isEmpty ? nil : line(state, ids)
        }
    }

    private static func line(_ state: DownloadState, _ ids: [String]) -> String {
        let more = ids.count > idsMax ? " and \(ids.count - idsMax) more" : ""
        let line = "asked for before, and \(state.rawValue): \(ids.prefix(idsMax).joined(separator: ", "))\(more)"
        switch state {
        case .paused:
            let selection = more.isEmpty ? ids.joined(separator: " ") : "--all"
            return line + "; 'ledger resume \(selection)' lets \(ids.count == 1 ? "it" : "them") go on"
        case .completed: return line + "; '--again' fetches \(ids.count == 1 ? "it" : "them") anew"
        case .queued, .running, .waiting, .failed, .cancelled, .deleted, .missing, .altered: return line
        }
    }
}
