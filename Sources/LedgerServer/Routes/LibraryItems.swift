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

    /// A file or an entry: what it is filtered and sorted by. Its rows are made when it is on the page.
    private struct Item {
        let key: String
        let download: ShownDownload?
        let entry: FollowedListing.Entry?
        /// The listing of the entry, and the group that it has there.
        let listing: (id: ListingID, group: String?)?
        let published: Timestamp?
        /// What it is sorted by, in milliseconds.
        let time: Int64

        init(_ download: ShownDownload) {
            self.init("d\(download.id)", download, nil, nil)
        }

        init(_ entry: FollowedListing.Entry, of followed: FollowedListing, _ download: ShownDownload?) {
            self.init(
                "l\(followed.id.rawValue):\(entry.listed.guid)", download, entry,
                (followed.id, followed.group(of: entry.listed)))
        }

        private init(
            _ key: String, _ download: ShownDownload?, _ entry: FollowedListing.Entry?,
            _ listing: (id: ListingID, group: String?)?
        ) {
            (self.key, self.download, self.entry, self.listing) = (key, download, entry, listing)
            let published = entry?.listed.published ?? download?.download.order.labels.value.published
            self.published = published
            time = (published ?? download?.completedAt ?? download?.addedAt)?.milliseconds ?? 0
        }

        var kind: Kind { download?.kind ?? entry?.listed.kind ?? .other }
        var group: String? { download?.group ?? listing?.group }
        var title: String { download?.title ?? entry?.listed.title ?? download?.name ?? entry?.listed.url.text ?? key }

        /// What words are looked for in.
        var texts: [String] {
            let words = [
                title, download?.details, entry?.listed.details, download?.group, listing?.group, download?.url,
                entry?.listed.url.text,
            ].compactMap(\.self)
            return words + (download?.tags ?? [])
        }

        /// The newest first.
        static func isBefore(_ one: Item, _ other: Item) -> Bool {
            one.time != other.time ? one.time > other.time : one.key > other.key
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
        let (group, words) = (query["group"], try query.words("search").map { WordSearch($0) })
        let state = try await backend.service.read { $0 }
        let shown = backend.service.makeShown
        var (total, first) = (0, FirstFew(offset + limit, by: Item.isBefore))
        visit(state, shown, onlyHere: onlyHere) { item in
            guard kinds.isEmpty || kinds.contains(item.kind), group == nil || item.group == group,
                words?.areFound(in: item.texts) ?? true
            else { return }
            total += 1
            if first.takes(item) { first.insert(item) }
        }
        return .json([
            "items": .array(first.sorted.dropFirst(offset).map { json($0, state, shown) }),
            "total": JSONValue(UInt64(total)),
            "next": total > offset + limit ? JSONValue(UInt64(offset + limit)) : .null,
        ])
    }

    /// Goes over all that is here, or is there to be had.
    private func visit(
        _ state: LedgerState, _ shown: (Download) -> ShownDownload, onlyHere: Bool, _ body: (Item) -> Void
    ) {
        var listed: Set<DownloadID> = []
        for followed in state.library.listings.values {
            for entry in followed.entries.values {
                let download = entry.download.flatMap { state.queue[$0] }.map(shown)
                if let download { listed.insert(download.id) }
                guard
                    download?.state == .completed
                        || !onlyHere && (entry.isOffered || download?.state.isEnd == false)
                else { continue }
                body(Item(entry, of: followed, download))
            }
        }
        for id in state.catalog.files where !listed.contains(id) {
            guard let download = state.queue[id].map(shown), !onlyHere || download.state == .completed else { continue }
            body(Item(download))
        }
    }

    private func json(_ item: Item, _ state: LedgerState, _ shown: (Download) -> ShownDownload) -> JSONValue {
        let (download, listed) = (item.download, item.entry?.listed)
        let followed = item.listing.flatMap { state.library.listings[$0.id] }
        let entry = followed.flatMap { followed in
            item.entry.map { EntryRow($0, of: followed, in: state) { DownloadRow(shown($0)) } }
        }
        let picture = download.flatMap { $0.kind == .image && $0.state == .completed ? "/files/\($0.id)" : nil }
        return [
            "key": .string(item.key),
            "download": download.map { backend.rows.json(DownloadRow($0), $0.download, at: state.sequence) } ?? .null,
            "entry": entry?.json ?? .null, "title": .string(item.title),
            "details": JSONValue(download?.details ?? listed?.details), "kind": .string(item.kind.rawValue),
            "group": JSONValue(item.group), "thumbnail": JSONValue(listed?.thumbnail ?? picture),
            "length": JSONValue(download?.size ?? listed?.length),
            "published": JSONValue(item.published?.rfc3339),
            "durationSeconds": JSONValue(listed?.durationSeconds), "order": JSONValue(listed?.order),
        ]
    }
}
