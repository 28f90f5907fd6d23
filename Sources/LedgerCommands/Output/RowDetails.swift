import LedgerAPI
import LedgerModel
import LedgerViews

/// One download, a line for each fact there is.
enum RowDetails {
    /// The lines: names at the left, facts behind them.
    static func lines(_ row: DownloadRow) -> [String] {
        var facts: [(String, String?)] = [
            ("download", row.id.description), ("state", row.state.rawValue), ("url", row.url), ("path", row.path),
        ]
        let size = row.size.map { "\(Figures.size($0)) (\(Figures.count($0)) bytes)" } ?? "not known"
        facts.append(("size", size))
        if row.state != .completed { facts.append(("received", Figures.size(row.received))) }
        facts += [
            ("rate", row.rate.map(Figures.rate)),
            ("streams", row.streams.flatMap { $0 > 1 ? "\($0) at once" : nil }),
            ("resumed from", row.resumedFrom.flatMap { $0 > 0 ? Figures.size($0) : nil }),
            ("digest", row.digest), ("kind", row.kind.rawValue), ("group", row.group), ("title", row.title),
            ("details", row.details), ("tags", row.tags.isEmpty ? nil : row.tags.joined(separator: ", ")),
            ("identifier", row.identifier), ("published", time(row.published)), ("checksum", row.checksum),
            ("priority", row.priority == 0 ? nil : row.priority.description),
            ("attempts", row.attempts.description),
            ("certificate", row.insecure ? "not checked (--insecure)" : nil),
            ("error", row.error.map { "\($0.message) (\($0.code)\($0.retryable ? ", may pass" : ""))" }),
            ("added", Figures.moment(row.addedAt) + " UTC"), ("started", time(row.startedAt)),
            ("completed", time(row.completedAt)), ("unchanged", time(row.checkedAt)), ("used", time(row.usedAt)),
            ("pinned", row.pinned ? "stays, whatever its group may hold" : nil),
            (row.error == nil ? "begins" : "tried again", time(row.retryAt)),
        ]
        facts += row.options.flatMap { option in option.lines.map { ("option", $0) } }
        return facts.compactMap { name, fact in
            fact.map { TextWidth.fitted(name, to: 13) + TextWidth.printable($0) }
        }
    }

    private static func time(_ time: Timestamp?) -> String? { time.map { Figures.moment($0) + " UTC" } }
}
