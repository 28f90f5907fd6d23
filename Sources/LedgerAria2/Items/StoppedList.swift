import LedgerModel

/// What has ended, in the order of its ending: what aria2 calls results.
///
/// The state does not say when a download failed or was cancelled, so the list follows the events. What had ended when
/// the program was started stands in the order of what is known of it.
struct StoppedList: Fold {
    /// Something that has ended.
    enum Entry: Hashable, Sendable {
        case download(DownloadID)
        case foreign(GID)
    }

    /// The most results of what this program does not fetch; the oldest of more is forgotten.
    static let foreignMax = 1000

    /// In order; nil where something was that is a result no longer.
    private var entries: [Entry?] = []
    private var places: [Entry: Int] = [:]
    /// What this program does not fetch.
    private(set) var foreign: [GID: ForeignResult] = [:]

    /// How many results there are.
    var count: Int { places.count }
    /// How many there ever were; what was begun again and has ended anew is one more.
    private(set) var total = 0

    /// The newest results, the oldest of them first.
    func newest(_ countMax: Int) -> [Entry] {
        entries.reversed().lazy.compactMap(\.self).prefix(countMax).reversed()
    }

    /// Adds a result behind all that has ended before it.
    mutating func add(_ result: ForeignResult) {
        if foreign.count >= Self.foreignMax {
            for case .foreign(let gid)? in entries {
                forget(gid)
                break
            }
        }
        foreign[result.gid] = result
        append(.foreign(result.gid))
    }

    mutating func forget(_ gid: GID) {
        foreign[gid] = nil
        remove(.foreign(gid))
    }

    mutating func forgetForeign() { for gid in foreign.keys { forget(gid) } }

    private mutating func append(_ entry: Entry) {
        guard places[entry] == nil else { return }
        total += 1
        places[entry] = entries.count
        entries.append(entry)
    }

    private mutating func remove(_ entry: Entry) {
        guard let place = places.removeValue(forKey: entry) else { return }
        entries[place] = nil
        guard entries.count > 2 * places.count + 64 else { return }
        entries = entries.filter { $0 != nil }
        for (place, entry) in entries.enumerated() { if let entry { places[entry] = place } }
    }
}

// Following the ledger.
extension StoppedList {
    static func minds(_ event: Event) -> Bool {
        switch event {
        case .completed, .failed, .cancelled, .retried, .deleted, .restored, .found, .redacted, .rechecked, .unchanged:
            true
        case .enqueued, .resolved, .progressed, .verified, .paused, .resumed, .moved, .changed, .missing, .altered,
            .compacted, .checkpointed, .repaired, .blamed, .used, .pinned, .relocated, .library:
            false
        }
    }

    /// Those that are known to be results keep their places.
    mutating func begin(_ queue: Queue) {
        let ended = queue.downloads.lazy.filter(\.phase.isResult).map { download in
            (download.completedAt ?? download.startedAt ?? download.addedAt, download.id)
        }.sorted { ($0.0, $0.1) < ($1.0, $1.1) }
        let there = Set(ended.map(\.1))
        for case .download(let id) in Array(places.keys) where !there.contains(id) { remove(.download(id)) }
        for (_, id) in ended { append(.download(id)) }
    }

    mutating func take(_ event: Recorded, _ queue: Queue) {
        guard let id = event.id else { return }
        let isResult = queue[id]?.phase.isResult ?? false
        // What was begun again ends anew, behind all others.
        if event.event.beginsAgain || !isResult { remove(.download(id)) }
        if isResult { append(.download(id)) }
    }
}

extension Phase {
    /// Whether it is what aria2 calls a result: ended, and not taken off the list.
    var isResult: Bool {
        switch self {
        case .completed, .missing, .altered, .failed, .cancelled: true
        case .queued, .waiting, .paused, .publishing, .deleted: false
        }
    }
}

extension Event {
    fileprivate var beginsAgain: Bool { [.retried, .rechecked, .restored].contains(kind) }
}
