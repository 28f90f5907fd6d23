package import LedgerAPI
package import LedgerCoding
package import LedgerModel

/// What became of one row between two points of the log.
package struct RowChange: Hashable, Sendable {
    /// What became of it. A deleted download has no row, as in `list`.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        case added, removed, changed
    }

    /// The download.
    package let id: DownloadID
    /// What became of its row.
    package let kind: Kind
    /// The fields that differ; where there is no row at all, each is null.
    package let fields: [FieldChange]
    /// The row itself: as it is, or as it was if it is no more.
    package let row: DownloadRow

    /// The change from one state of a download to another; nil when its row stays the same, or there never was one.
    package init?(from old: Download?, to new: Download?) {
        guard old != new, let shown = new ?? old else { return nil }
        fields = FieldChange.between(
            old.map(DownloadRow.comparedFields) ?? [:], new.map(DownloadRow.comparedFields) ?? [:])
        guard !fields.isEmpty else { return nil }
        (id, row) = (shown.id, DownloadRow(shown))
        let (was, isNow) = (old.map { $0.phase != .deleted } ?? false, new.map { $0.phase != .deleted } ?? false)
        switch (was, isNow) {
        // What came and went in between was a row at neither point.
        case (false, false): return nil
        case (false, true): kind = .added
        case (true, false): kind = .removed
        case (true, true): kind = .changed
        }
    }

    /// Every row that differs, by id; each is looked at when it is asked for.
    package static func between(_ old: Queue, _ new: Queue) -> some Sequence<RowChange> {
        Set(old.downloads.ids).union(new.downloads.ids).sorted().lazy.compactMap { id in
            RowChange(from: old[id], to: new[id])
        }
    }

    /// `{"id", "change", "fields": {NAME: {"before", "after"}}}`.
    package var json: JSONValue {
        var members: JSONObject = [:]
        for field in fields { members[field.name] = ["before": field.before, "after": field.after] }
        return ["id": JSONValue(id.rawValue), "change": .string(kind.rawValue), "fields": .object(members)]
    }

    /// A line for the row, and one for each field of one that was there before and still is on record.
    package var lines: [String] {
        let mark =
            switch kind {
            case .added: "+"
            case .removed: "-"
            case .changed: "~"
            }
        let name = TextWidth.printable(row.title ?? row.name)
        let head = "\(mark) \(id)  \(row.state.rawValue)  \(name)"
        // What is new is told by its state, its name and where it comes from.
        guard !fields.contains(where: { $0.name == "id" }) else { return [head + "  " + TextWidth.printable(row.url)] }
        return [head] + Self.lines(fields)
    }

    /// A line for each field.
    package static func lines(_ fields: [FieldChange]) -> [String] {
        let width = fields.map { TextWidth.columns(of: $0.name) }.max() ?? 0
        return fields.map { "    " + TextWidth.fitted($0.name, to: width) + "  " + $0.words }
    }
}
