import LedgerAPI
import LedgerEngine
import LedgerHolder
import LedgerModel

/// What has ended, in the order of its ending: what aria2 calls results.
///
/// The state does not say when a download failed or was cancelled, so the list follows the events. What had ended when
/// the program was started stands in the order of what is known of it.
actor StoppedList {
    /// Something that has ended.
    enum Entry: Hashable, Sendable {
        case download(DownloadID)
        case foreign(GID)
    }

    /// The most results of what this program does not fetch; the oldest of more is forgotten.
    static let foreignMax = 1000
    /// A stretch of events longer than this is not read: the state is looked through again instead.
    private static let eventsMax: UInt64 = 200_000

    private let service: LedgerService
    private var seen: SequenceNumber?
    /// In order; nil where something was that is a result no longer.
    private var entries: [Entry?] = []
    private var places: [Entry: Int] = [:]
    private var foreign: [GID: ForeignResult] = [:]

    init(_ service: LedgerService) { self.service = service }

    /// How many results there are.
    var count: Int { places.count }

    /// The newest results, the oldest of them first.
    func newest(_ countMax: Int) async throws(Problem) -> [Entry] {
        try await refresh()
        var window: [Entry] = []
        for case let entry? in entries.reversed() {
            if window.count >= countMax { break }
            window.append(entry)
        }
        return window.reversed()
    }

    /// How many results there are, once all that happened is taken into account.
    func total() async throws(Problem) -> Int {
        try await refresh()
        return count
    }
}

// What this program does not fetch.
extension StoppedList {
    func foreign(_ gid: GID) -> ForeignResult? { foreign[gid] }

    func foreign(matching prefix: GIDPrefix) -> [ForeignResult] {
        foreign.values.filter { prefix.matches($0.gid) }
    }

    /// Adds a result behind all that has ended before it.
    func add(_ result: ForeignResult) async throws(Problem) {
        try await refresh()
        if foreign.count >= Self.foreignMax {
            for case .foreign(let gid)? in entries {
                forget(gid)
                break
            }
        }
        foreign[result.gid] = result
        append(.foreign(result.gid))
    }

    func forget(_ gid: GID) {
        foreign[gid] = nil
        remove(.foreign(gid))
    }

    func forgetForeign() { for gid in foreign.keys { forget(gid) } }
}

// Following the ledger.
extension StoppedList {
    private func refresh() async throws(Problem) {
        guard let begin = seen, service.ledger.lastSequence.rawValue - begin.rawValue <= Self.eventsMax else {
            return try await lookThrough()
        }
        var events = service.ledger.events(after: begin).makeAsyncIterator()
        do throws(LedgerError) {
            while let before = seen, before < service.ledger.lastSequence, let batch = try await events.next() {
                try await take(batch)
            }
        } catch {
            // A compaction took away what nobody had looked at for long.
            if case .compacted = error { return try await lookThrough() }
            throw Problem(error)
        }
    }

    /// Takes a batch into account. Another request may have done so while it was waited for.
    private func take(_ batch: [Recorded<Event>]) async throws(LedgerError) {
        let news = batch.filter { event in seen.map { event.sequence > $0 } ?? false }
        guard let last = news.last?.sequence else { return }
        let moves = news.filter(\.event.movesResults)
        if !moves.isEmpty {
            let known = Set(moves.compactMap(\.id))
            let ended = try await service.ledger.read { state in
                known.filter { state.queue[$0]?.phase.isResult ?? false }
            }
            guard let seen, seen < last else { return }
            // Another request may have taken the first of them meanwhile.
            for move in moves where move.sequence > seen {
                guard let id = move.id else { continue }
                // What was begun again ends anew, behind all others.
                if move.event.beginsAgain || !ended.contains(id) { remove(.download(id)) }
                if ended.contains(id) { append(.download(id)) }
            }
        }
        seen = last
    }

    /// Looks at all downloads; those that are known to be results keep their places.
    private func lookThrough() async throws(Problem) {
        let (sequence, ended) = try await service.read { state in
            let ended = state.queue.downloads.values.lazy.filter(\.phase.isResult).map { download in
                (download.completedAt ?? download.startedAt ?? download.addedAt, download.id)
            }
            return (state.sequence, Array(ended))
        }
        // The first of two that look begins to follow; the other one knows less or the same.
        if let seen, sequence <= seen { return }
        let there = Set(ended.map(\.1))
        for case .download(let id) in Array(places.keys) where !there.contains(id) { remove(.download(id)) }
        let new = ended.filter { places[.download($0.1)] == nil }.sorted { ($0.0, $0.1) < ($1.0, $1.1) }
        for (_, id) in new { append(.download(id)) }
        seen = sequence
    }

    private func append(_ entry: Entry) {
        guard places[entry] == nil else { return }
        places[entry] = entries.count
        entries.append(entry)
    }

    private func remove(_ entry: Entry) {
        guard let place = places.removeValue(forKey: entry) else { return }
        entries[place] = nil
        guard entries.count > 2 * places.count + 64 else { return }
        entries = entries.filter { $0 != nil }
        for (place, entry) in entries.enumerated() { if let entry { places[entry] = place } }
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

    /// Whether a download may be a result after it that was none, or the other way round.
    fileprivate var movesResults: Bool {
        switch self {
        case .completed, .failed, .cancelled, .retried, .deleted, .restored, .found, .redacted, .rechecked, .unchanged:
            true
        case .enqueued, .resolved, .progressed, .verified, .paused, .resumed, .moved, .changed, .missing, .altered,
            .compacted, .checkpointed, .repaired, .blamed, .used, .pinned, .library:
            false
        }
    }
}
