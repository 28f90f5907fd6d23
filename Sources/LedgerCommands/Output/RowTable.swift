import LedgerAPI
import LedgerModel
import LedgerViews

/// Downloads as a table.
enum RowTable {
    /// The lines of the table; one that says so when there is nothing.
    static func lines(_ rows: [DownloadRow], width: Int?) -> [String] {
        guard !rows.isEmpty else { return ["nothing here"] }
        var table = Table([
            .init("ID", isRightAligned: true), .init("STATE"), .init("DONE", isRightAligned: true),
            .init("SIZE", isRightAligned: true), .init("NAME", isElastic: true), .init("NOTE"),
        ])
        for row in rows {
            table.add([
                row.id.description, row.state.rawValue,
                Figures.percent(row.received, of: row.size).map { "\($0) %" } ?? Figures.size(row.received),
                row.size.map(Figures.size) ?? "-", row.title ?? row.name, note(on: row),
            ])
        }
        return table.lines(width: width)
    }

    /// What stands behind the name: the rate, the next attempt, or the reason of a failure.
    static func note(on row: DownloadRow) -> String {
        let words = words(on: row)
        guard row.insecure else { return words }
        return ProgressLine.insecure + (words.isEmpty ? "" : " " + words)
    }

    private static func words(on row: DownloadRow) -> String {
        switch row.state {
        case .running: return row.rate.map(Figures.rate) ?? ""
        case .waiting:
            guard let retryAt = row.retryAt else { return "" }
            return "at \(Figures.moment(retryAt)) UTC" + (row.error.map { ": " + $0.code } ?? "")
        case .failed: return row.error?.code ?? ""
        case .queued, .paused, .completed, .cancelled, .deleted, .missing, .altered:
            return row.priority == 0 ? "" : "priority \(row.priority)"
        }
    }
}
