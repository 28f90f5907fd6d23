import Hummingbird
import LedgerAPI
import LedgerCoding
import LedgerHolder
import LedgerModel
import LedgerViews

/// `GET /v1/library`: what is here, and what could be: finished files and entries on offer, the newest first.
struct LibraryItems: Sendable {
    let backend: Backend

    /// The routes.
    var routes: [Route] { [Route(.get, "/v1/library", .read, list)] }

    /// A file or an entry.
    private struct Item {
        let key: String
        let download: DownloadRow?
        let entry: EntryRow?

        var kind: Kind { download?.kind ?? entry?.kind ?? .other }
        var title: String { download?.title ?? entry?.title ?? download?.name ?? entry?.url ?? key }
        var time: Int64 {
            let time = entry?.published ?? download?.published ?? download?.completedAt ?? download?.addedAt
            return time?.milliseconds ?? 0
        }

        /// What words are looked for in.
        var text: String {
            let words = [
                title, download?.details, entry?.details, download?.group, entry?.group, download?.url, entry?.url,
            ].compactMap(\.self)
            return (words + (download?.tags ?? [])).joined(separator: "\n").lowercased()
        }

        func json(_ row: JSONValue?) -> JSONValue {
            let picture = download.flatMap { $0.kind == .image && $0.state == .completed ? "/files/\($0.id)" : nil }
            return [
                "key": .string(key), "download": row ?? .null, "entry": entry?.json ?? .null,
                "title": .string(title), "details": JSONValue(download?.details ?? entry?.details),
                "kind": .string(kind.rawValue), "group": JSONValue(download?.group ?? entry?.group),
                "thumbnail": JSONValue(entry?.thumbnail ?? picture),
                "length": JSONValue(download?.size ?? entry?.length),
                "published": JSONValue((entry?.published ?? download?.published)?.rfc3339),
                "durationSeconds": JSONValue(entry?.durationSeconds), "order": JSONValue(entry?.order),
            ]
        }
    }

    private func list(_ call: Call) async throws -> Response {
        let query = call.query
        try query.require(only: ["search", "kind", "filter", "group", "limit", "offset"])
        let limit = try query.number("limit", 1...Downloads.pageRowsMax) ?? Downloads.pageRowsDefault
        let offset = try query.number("offset", 0...Int(Int32.max)) ?? 0
        let kinds: [Kind] = try query.list("kind")
        let onlyHere = query["filter"] == "downloaded"
        guard ["all", "downloaded", nil].contains(query["filter"]) else {
            throw Refusal.badRequest("'filter' is all or downloaded")
        }
        let words = (query["search"] ?? "").lowercased().split(separator: " ")
        let state = try await backend.service.read { $0 }
        let items = items(state, onlyHere: onlyHere).filter { item in
            guard kinds.isEmpty || kinds.contains(item.kind) else { return false }
            if let group = query["group"], (item.download?.group ?? item.entry?.group) != group { return false }
            guard !words.isEmpty else { return true }
            let text = item.text
            return words.allSatisfy { text.contains($0) }
        }.sorted { $0.time != $1.time ? $0.time > $1.time : $0.key > $1.key }
        let part = items.dropFirst(offset).prefix(limit).map { item in
            item.json(item.download.flatMap { row in state.queue[row.id].map { backend.rows.json(row, $0) } })
        }
        return .json([
            "items": .array(Array(part)), "total": JSONValue(UInt64(items.count)),
            "next": items.count > offset + limit ? JSONValue(UInt64(offset + limit)) : .null,
        ])
    }

    private func items(_ state: LedgerState, onlyHere: Bool) -> [Item] {
        let row = backend.service.makeRow
        var (items, listed) = ([Item](), Set<DownloadID>())
        for (id, followed) in state.library.listings {
            for entry in state.entryRows(of: id, row: row) ?? [] {
                if let download = entry.download { listed.insert(download.id) }
                let isHere = entry.download?.state == .completed
                guard isHere || !onlyHere && (entry.isOffered || entry.download?.state.isEnd == false) else { continue }
                let key = "l\(followed.id.rawValue):\(entry.guid)"
                items.append(Item(key: key, download: entry.download, entry: entry))
            }
        }
        for id in state.catalog.entries.keys where !listed.contains(id) {
            guard let download = state.queue[id] else { continue }
            let made = row(download)
            guard !onlyHere || made.state == .completed else { continue }
            items.append(Item(key: "d\(id)", download: made, entry: nil))
        }
        return items
    }
}
