package import LedgerAPI
package import LedgerCoding
import LedgerModel

/// What `reconcile` found, for people and for scripts.
package struct ReconciliationView {
    private let report: ReconcileReport

    /// A view of what reconciling came to.
    package init(_ report: ReconcileReport) { self.report = report }

    /// One for each finding, and the summary.
    package var rows: [JSONValue] {
        var summary: JSONObject = [
            "looked": JSONValue(report.looked), "more": JSONValue(report.more), "open": JSONValue(report.open),
            "dryRun": .bool(report.isDryRun),
        ]
        for state in [DownloadState.missing, .altered, .completed] {
            summary[state.rawValue] = JSONValue(report.states[state] ?? 0)
        }
        for action in [ReconcileReport.Action.adopted, .requeued, .unseen] {
            summary[action.rawValue] = JSONValue(report.actions[action] ?? 0)
        }
        return report.findings.map(\.json) + [["summary": .object(summary)]]
    }

    /// Each finding in a line, and the sum.
    package var lines: [String] {
        var lines = report.findings.map { $0.line(isDryRun: report.isDryRun) }
        if report.more > 0 { lines.append("and \(Figures.counted(report.more, "file")) more") }
        let count = report.findings.count + report.more
        let files = Figures.counted(report.looked, "finished file")
        lines.append(count == 0 ? "\(files), all as on record" : "\(files), \(Figures.count(UInt64(count))) otherwise")
        return lines
    }
}

extension ReconcileReport.Finding {
    fileprivate var json: JSONValue {
        [
            "id": JSONValue(id.rawValue), "path": .string(path), "was": .string(was.rawValue),
            "state": .string(state.rawValue), "action": .string(action.rawValue), "note": JSONValue(note),
        ]
    }

    fileprivate func line(isDryRun: Bool) -> String {
        let path = TextWidth.printable(path)
        let would = isDryRun ? "would be " : ""
        var line =
            switch state {
            case _ where action == .unseen: "download \(id): \(path) can not be looked at"
            case .missing: "download \(id): \(path) is gone"
            case .altered: "download \(id): \(path) was changed by someone else"
            default: "download \(id): \(path) is there again"
            }
        switch action {
        case .known: line += ", as on record"
        case .recorded, .unseen: break
        case .adopted: line += "; \(would)taken as it is"
        case .requeued: line += "; \(would)queued, to be fetched again"
        }
        if let note { line += "; \(note)" }
        return line
    }
}
