/// What has been downloaded, by group and kind: the projection of finished files.
///
/// It is folded from what each event left of its download, so that the two projections can never disagree.
package struct Catalog: Hashable, Sendable {
    /// How much a group or a kind holds.
    package struct Usage: Hashable, Sendable {
        /// Files.
        package var files = 0
        /// Bytes of them. Beyond what 64 bits hold, which a forged log alone states, it begins anew: what was added can
        /// be taken out again.
        package var bytes: UInt64 = 0

        /// Nothing held.
        package init() {}
    }

    /// The downloads with ``Download/hasFinishedFile``, ascending.
    package private(set) var files = SortedList<DownloadID>()
    /// What each group holds, of files that are there; those without a group are under the empty name.
    package private(set) var groups: [String: Usage] = [:]
    /// What each kind holds, of files that are there.
    package private(set) var kinds: [Kind: Usage] = [:]
    /// Whose file stands under each final path: a function of the downloads, found when somebody asks.
    private(set) var owners = OnDemand<Owners>()

    /// The catalog before the first event.
    package init() {}

    /// The files of all these downloads.
    init(filesOf downloads: DownloadTable) {
        owners = .unbuilt
        var files = AscendingKeys<DownloadID>()
        // By the labels' own box: most files share theirs with others, and a name is hashed once for all of them. In
        // the order of the downloads: of two spellings that are one name, the first stands.
        var shares: [(labels: Shared<Labels>, usage: Usage)] = []
        var places: [ObjectIdentifier: Int] = [:]
        downloads.visit { row in
            guard row.value.hasFinishedFile else { return }
            files.append(row.value.id)
            guard let share = row.value.share else { return }
            kinds.count(share.length, under: share.kind, adding: true)
            let labels = row.value.order.labels
            let place = places[ObjectIdentifier(labels)] ?? shares.count
            if place == shares.count {
                places[ObjectIdentifier(labels)] = place
                shares.append((labels, Usage()))
            }
            _ = shares[place].usage.count(share.length, adding: true)
        }
        self.files = files.list
        for (labels, usage) in shares { groups[labels.value.group ?? "", default: Usage()].add(usage) }
    }

    /// Takes into account what an event made of a download; `old` is nil when it made the download.
    package mutating func update(from old: Download?, to download: Download) {
        // Enqueued, or failed before it had a file.
        if old?.shownFile == nil, download.shownFile == nil { return }
        owners.change { $0.update(from: old, to: download) }
        if let old { count(old, adding: false) }
        count(download, adding: true)
        switch (old?.hasFinishedFile ?? false, download.hasFinishedFile) {
        case (false, true): files.insert(download.id)
        case (true, false): files.remove(download.id)
        case (false, false), (true, true): break
        }
    }

    /// Takes a redacted download out.
    mutating func forget(_ download: Download) {
        owners.change { $0.forget(download) }
        count(download, adding: false)
        files.remove(download.id)
    }

    package static func == (one: Catalog, other: Catalog) -> Bool {
        one.files == other.files && one.groups == other.groups && one.kinds == other.kinds
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(files)
        hasher.combine(groups)
        hasher.combine(kinds)
    }

    private mutating func count(_ download: Download, adding: Bool) {
        guard let share = download.share else { return }
        groups.count(share.length, under: download.order.labels.value.group ?? "", adding: adding)
        kinds.count(share.length, under: share.kind, adding: adding)
    }
}

/// What one file that is there adds to what its group and its kind hold.
private struct Share {
    let length: UInt64
    let kind: Kind
}

extension Download {
    /// What it adds; nil when it has no finished file, or that is gone. (An initializer would be given a copy of it.)
    fileprivate var share: Share? {
        // Field by field: the file is a copy of all that it holds.
        if let standing {
            return Share(
                length: standing.value.file.length,
                kind: Kind(mediaType: standing.value.origin?.mediaType, name: standing.value.file.path))
        }
        guard phase.isFinished, phase != .missing, let file else { return nil }
        return Share(
            length: file.value.length, kind: Kind(mediaType: origin?.value.mediaType, name: file.value.path))
    }
}

extension Catalog.Usage {
    /// Counts a file of `length` bytes in or out; returns how many there are then.
    fileprivate mutating func count(_ length: UInt64, adding: Bool) -> Int {
        files += adding ? 1 : -1
        bytes = adding ? bytes &+ length : bytes &- length
        return files
    }

    /// Adds what another holds.
    fileprivate mutating func add(_ other: Self) {
        files += other.files
        bytes &+= other.bytes
    }
}

extension Dictionary where Value == Catalog.Usage {
    /// Counts a file of `length` bytes in or out; what holds nothing any longer is left out.
    fileprivate mutating func count(_ length: UInt64, under key: Key, adding: Bool) {
        if self[key, default: Catalog.Usage()].count(length, adding: adding) == 0 { self[key] = nil }
    }
}
