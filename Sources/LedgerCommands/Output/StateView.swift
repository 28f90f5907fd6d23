import LedgerAPI
import LedgerCoding
import LedgerEngine
import LedgerHolder
import LedgerModel

/// The state at a point, as `replay --state` prints it.
struct StateView {
    private let state: LedgerState
    private let parts: [Replay.Part]

    /// These parts of a state.
    init(_ state: LedgerState, parts: [Replay.Part]) {
        self.state = state
        self.parts = parts
    }

    /// One object: the sequence, and what was asked for.
    var json: JSONValue {
        var object: JSONObject = ["seq": JSONValue(state.sequence.rawValue)]
        for part in parts {
            object[part.rawValue] =
                switch part {
                case .queue: .array(queue.map(\.json))
                case .catalog: .array(catalog.map(\.json))
                case .digest: StateSnapshot.digest(of: state).json
                }
        }
        return .object(object)
    }

    /// The same for people.
    var lines: [String] {
        var lines = ["after event \(state.sequence)"]
        for part in parts {
            switch part {
            case .queue: lines += ["queue:"] + RowTable.lines(queue, width: nil)
            case .catalog: lines += ["catalog:"] + RowTable.lines(catalog, width: nil)
            case .digest: lines.append("digest: \(StateSnapshot.digest(of: state))")
            }
        }
        return lines
    }

    /// What is still to be done, in its order, then what ended without a file.
    private var queue: [DownloadRow] {
        state.queue.liveDownloads.map { DownloadRow($0) } + state.queue.endedDownloads.map { DownloadRow($0) }
    }

    private var catalog: [DownloadRow] {
        state.catalog.files.compactMap { state.queue[$0].map { DownloadRow($0) } }
    }
}
