import LedgerAPI
import LedgerCoding
import LedgerHolder
import LedgerModel

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

extension ListingRow {
    /// The row as `--json` prints it.
    var json: JSONValue {
        [
            "id": JSONValue(id), "kind": .string(kind.name), "source": .string(source),
            "title": JSONValue(title), "group": JSONValue(group), "directory": .string(directory),
            "keep": JSONValue(newestMax), "filter": JSONValue(filter), "auto": .bool(isAutomatic),
            "intervalSeconds": JSONValue(intervalSeconds), "refreshedAt": JSONValue(refreshedAt?.rfc3339),
            "nextAt": .string(nextAt.rfc3339), "error": error?.json ?? .null, "entries": JSONValue(UInt64(entries)),
            "downloaded": JSONValue(UInt64(downloaded)),
        ]
    }
}

extension EntryRow {
    /// The row as `--json` prints it: `state` is that of its download, or `available`.
    var json: JSONValue {
        [
            "listing": JSONValue(listing), "guid": .string(guid), "url": .string(url), "title": JSONValue(title),
            "details": JSONValue(details), "kind": .string(kind.rawValue), "mediaType": JSONValue(mediaType),
            "length": JSONValue(length), "published": JSONValue(published?.rfc3339), "group": JSONValue(group),
            "thumbnail": JSONValue(thumbnail), "order": JSONValue(order),
            "durationSeconds": JSONValue(durationSeconds), "offered": .bool(isOffered),
            "state": .string(download?.state.rawValue ?? "available"), "download": download?.json ?? .null,
        ]
    }
}
