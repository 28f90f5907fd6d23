import LedgerAPI
import LedgerCoding
import LedgerHolder
import LedgerModel
import LedgerViews

/// What is followed, as a table.
enum ListingTable {
    /// The lines of the table; one that says so when there is nothing.
    static func lines(_ rows: [ListingRow], _ console: Console) -> [String] {
        guard !rows.isEmpty else { return ["nothing is followed"] }
        var table = Table([
            .init("ID", isRightAligned: true), .init("ENTRIES", isRightAligned: true),
            .init("HERE", isRightAligned: true), .init("READ"), .init("TITLE", isElastic: true), .init("NOTE"),
        ])
        for row in rows {
            let notes = [
                row.error.map { "not read: \($0.code)" }, row.isAutomatic ? "auto" : nil,
                row.newestMax.map { "keeps \($0)" },
            ]
            table.add([
                String(row.id), String(row.entries), String(row.downloaded),
                row.refreshedAt.map(Figures.moment) ?? "never", row.title ?? row.source,
                notes.compactMap(\.self).joined(separator: ", "),
            ])
        }
        return table.lines(width: console.outputColumns)
    }
}

/// The entries of a listing, as a table.
enum EntryTable {
    /// The lines of the table; one that says so when there is nothing.
    static func lines(_ rows: [EntryRow], _ console: Console) -> [String] {
        guard !rows.isEmpty else { return ["nothing here"] }
        var table = Table([
            .init("STATE"), .init("PUBLISHED"), .init("SIZE", isRightAligned: true), .init("TITLE", isElastic: true),
            .init("GUID"),
        ])
        for row in rows {
            table.add([
                row.download?.state.rawValue ?? "available", row.published.map { String($0.rfc3339.prefix(10)) } ?? "-",
                (row.download?.size ?? row.length).map(Figures.size) ?? "-", row.title ?? row.url, row.guid,
            ])
        }
        return table.lines(width: console.outputColumns)
    }
}
