/// What has been downloaded, by group and kind: the projection of finished files.
///
/// It is folded from what each event left of its download, so that the two projections can never disagree.
package struct Catalog: Hashable, Sendable {
    /// A finished file as screens show it.
    package struct Entry: Hashable, Sendable {
        /// The download it came from.
        package let id: DownloadID
        /// Its absolute path.
        package let path: String
        /// Its length in bytes.
        package let length: UInt64
        /// What sort of content it holds.
        package let kind: Kind
        /// What people call it.
        package let labels: Shared<Labels>
        /// Whether the file is there and unchanged, as far as was seen.
        package let isWhole: Bool
        /// Whether a file is there, as far as was seen: it takes room, changed or not.
        package let isThere: Bool
    }

    /// How much a group or a kind holds.
    package struct Usage: Hashable, Sendable {
        /// Files.
        package var files = 0
        /// Bytes of them.
        package var bytes: UInt64 = 0

        /// Nothing held.
        package init() {}
    }

    /// The finished files.
    package private(set) var entries: [DownloadID: Entry] = [:]
    /// What each group holds, of files that are there; those without a group are under the empty name.
    package private(set) var groups: [String: Usage] = [:]
    /// What each kind holds, of files that are there.
    package private(set) var kinds: [Kind: Usage] = [:]
    /// Whose file stands under each final path.
    package internal(set) var owners = Owners()

    /// The catalog before the first event.
    package init() {}

    /// The files of all these downloads, without ``owners``, which are found beside them.
    init(filesOf downloads: DownloadTable) {
        entries.reserveCapacity(downloads.finishedCount)
        downloads.visit { rows in
            for place in rows.indices {
                // Most of a long queue has no file, not even one of before.
                if rows[place].file == nil, rows[place].past == nil { continue }
                let entry = Entry(
                    id: rows[place].id, phase: rows[place].phase, file: rows[place].file, origin: rows[place].origin,
                    past: rows[place].past, labels: rows[place].order.labels)
                if let entry { add(entry) }
            }
        }
    }

    /// Takes into account what an event made of a download; `old` is nil when it made the download.
    package mutating func update(from old: Download?, to download: Download) {
        // Enqueued, or failed before it had a file.
        if old?.shownFile == nil, download.shownFile == nil { return }
        owners.update(from: old, to: download)
        if old != nil, let entry = entries.removeValue(forKey: download.id) { count(entry, adding: false) }
        let entry = Entry(
            id: download.id, phase: download.phase, file: download.file, origin: download.origin, past: download.past,
            labels: download.order.labels)
        if let entry { add(entry) }
    }

    private mutating func add(_ entry: Entry) {
        entries[entry.id] = entry
        count(entry, adding: true)
    }

    /// Takes a redacted download out.
    mutating func forget(_ download: Download) {
        owners.forget(download)
        if let entry = entries.removeValue(forKey: download.id) { count(entry, adding: false) }
    }

    private mutating func count(_ entry: Entry, adding: Bool) {
        guard entry.isThere else { return }
        groups.count(entry.length, under: entry.labels.value.group ?? "", adding: adding)
        kinds.count(entry.length, under: entry.kind, adding: adding)
    }
}

extension Catalog.Entry {
    /// What a download with these parts shows; nil for one that has no finished file. Not of the download itself, which
    /// would be copied out of its page: see ``DownloadTable/visit(_:)``.
    fileprivate init?(
        id: DownloadID, phase: Phase, file: Shared<PublishedFile>?, origin: Shared<Origin>?,
        past: Shared<Download.Past>?, labels: Shared<Labels>
    ) {
        let standing = past?.value.standing
        // Field by field: the file is a copy of all that it holds.
        guard phase.isFinished || standing != nil, let path = standing?.value.file.path ?? file?.value.path,
            let length = standing?.value.file.length ?? file?.value.length
        else { return nil }
        let mediaType = standing == nil ? origin?.value.mediaType : standing?.value.origin?.mediaType
        self.init(
            id: id, path: path, length: length, kind: Kind(mediaType: mediaType, name: path),
            labels: labels, isWhole: phase == .completed || standing != nil,
            isThere: phase != .missing || standing != nil)
    }
}

extension Catalog.Usage {
    /// Counts a file of `length` bytes in or out; returns how many there are then.
    fileprivate mutating func count(_ length: UInt64, adding: Bool) -> Int {
        files += adding ? 1 : -1
        bytes = adding ? bytes + length : bytes - length
        return files
    }
}

extension Dictionary where Value == Catalog.Usage {
    /// Counts a file of `length` bytes in or out; what holds nothing any longer is left out.
    fileprivate mutating func count(_ length: UInt64, under key: Key, adding: Bool) {
        if self[key, default: Catalog.Usage()].count(length, adding: adding) == 0 { self[key] = nil }
    }
}
