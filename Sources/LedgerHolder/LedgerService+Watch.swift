package import LedgerAPI
import LedgerEngine
package import LedgerModel
import LedgerSystem

extension LedgerService {
    package func watch(
        _ query: WatchQuery, _ receive: @escaping @Sendable ([DownloadRow]) async -> Bool
    ) async throws(Problem) {
        try await watch(
            query, Watcher(query), partRowsMax: Self.watchedRowsMax, beat: Self.quietMax
        ) { rows, _ in await receive(rows) }
    }

    /// The same for who is in this process, and can not have gone away unnoticed: one empty message says that nothing
    /// more happens, and nothing is done until something does.
    package func watchHere(
        _ query: WatchQuery, _ receive: @escaping @Sendable ([DownloadRow]) async -> Bool
    ) async throws(Problem) {
        try await watch(query, Watcher(query), partRowsMax: Self.watchedRowsMax, beat: nil) { rows, _ in
            await receive(rows)
        }
    }

    /// Hands over all rows that have not ended, then every one that something happened to, whatever its state, with
    /// what it was, until `receive` says false or the task is cancelled.
    package func watchEverything(
        _ receive: @escaping @Sendable ([DownloadRow], Touched) async -> Bool
    ) async throws(Problem) {
        let query = WatchQuery(untilEnd: false)
        try await watch(query, Watcher(query, seesEnded: true), partRowsMax: .max, beat: nil, receive)
    }

    /// How many rows are handed over at once in the beginning: of a long queue, all of them would be in memory.
    private static let watchedRowsMax = 1000
    /// How long it is quiet at most behind something that was handed over, and while something runs.
    private static let quietMax = Duration.seconds(5)

    /// How long between two looks at what runs.
    private static let interval = Duration.milliseconds(WatchQuery.intervalMilliseconds)

    /// - Parameter beat: how long it is quiet at most while nothing happens; nil for as long as nothing does.
    private func watch(
        _ query: WatchQuery, _ start: Watcher, partRowsMax: Int, beat: Duration?,
        _ receive: @escaping @Sendable ([DownloadRow], Touched) async -> Bool
    ) async throws(Problem) {
        var watcher = start
        var (left, seen) = try await firstIDs(query)
        repeat {
            let part = try await rows(of: Array(left.prefix(partRowsMax)))
            left = left.dropFirst(partRowsMax)
            guard await receive(watcher.take(part.values), Touched(last: seen)), !watcher.isOver else { return }
        } while !left.isEmpty
        let clock = ledger.world.clock
        var quietSince = clock.uptime()
        // What ran at the last look may have been stopped without an event: its hours are over.
        var ran: Set<DownloadID> = []
        var notNow = pool.notNow
        var isLastLook = false
        var wasHandedRows = true
        while !isLastLook {
            let pause = ran.isEmpty ? wasHandedRows ? Self.quietMax : beat : Self.interval
            await waitForNews(after: seen, ran: ran, unless: notNow, atMost: pause)
            // What happened up to a cancellation is still told: a task of its own is not cancelled with this one.
            isLastLook = Task.isCancelled
            let before = seen
            let look = Task { () -> Result<(DownloadTable, Touched)?, Problem> in
                do throws(Problem) {
                    // Of one instant: what events say of a row is what it shows.
                    let (downloads, last) = try await read { ($0.queue.downloads, $0.sequence) }
                    return .success(try await touched(after: before, upTo: last).map { (downloads, $0) })
                } catch { return .failure(error) }
            }
            guard let (downloads, news) = try await look.value.get() else { return }
            seen = news.last
            watcher.begin(news.begun)
            let runs = Set(pool.live.keys)
            var ids = news.ids.union(runs).union(ran)
            ran = runs
            if pool.notNow != notNow {
                // All that wait do so for another reason now, without an event.
                notNow = pool.notNow
                ids.formUnion(try await firstIDs(query).ids)
            }
            let maker = rowMaker
            let looked = ids.compactMap { downloads[$0].map(maker.row) }.filter { row in
                // An end is shown with its event: what has just ended may still be among what runs, and is no news.
                watcher.isWatched(row) && (news.ids.contains(row.id) || !row.state.isEnd)
            }
            let changed = watcher.take(looked)
            // An empty message now and then finds out that nobody listens any more.
            guard !changed.isEmpty || clock.uptime() - quietSince >= Self.quietMax else { continue }
            quietSince = clock.uptime()
            wasHandedRows = !changed.isEmpty
            guard await receive(changed, news), !watcher.isOver else { return }
        }
    }

    /// What a watcher begins with: what it asks for, else all that have not ended; and the event that they are after.
    private func firstIDs(_ query: WatchQuery) async throws(Problem) -> (
        ids: ArraySlice<DownloadID>, last: SequenceNumber
    ) {
        try await read { state in
            (query.ids.isEmpty ? state.queue.liveIDs[...] : query.ids[...], state.sequence)
        }
    }

    /// Which downloads the events after `sequence` are about, up to `last`; nil once the task is cancelled.
    func touched(after sequence: SequenceNumber, upTo last: SequenceNumber) async throws(Problem) -> Touched? {
        var events = ledger.events(after: sequence).makeAsyncIterator()
        var touched = Touched(last: sequence)
        do throws(LedgerError) {
            while touched.last < last, let batch = try await events.next() {
                for event in batch where event.sequence <= last { touched.take(event) }
                touched.last = min(batch.last?.sequence ?? last, last)
            }
        } catch { throw Problem(error) }
        return touched.last < last ? nil : touched
    }
}

/// The downloads that a stretch of events is about.
package struct Touched: Sendable {
    /// The end of the stretch.
    var last: SequenceNumber
    /// All of them.
    var ids: Set<DownloadID> = []
    /// Those that became live within it; they may have ended within it, too.
    var begun: Set<DownloadID> = []
    /// Those that are new, or were brought back by an undo.
    package var added: Set<DownloadID> = []
    /// Those that came to an end within it, whatever it is, and were not brought back by an undo.
    package var ended: Set<DownloadID> = []

    init(last: SequenceNumber) { self.last = last }

    mutating func take(_ event: Recorded) {
        guard let id = event.id else { return }
        ids.insert(id)
        switch event.event {
        case .enqueued:
            added.insert(id)
            begun.insert(id)
        case .restored:
            added.insert(id)
            ended.remove(id)
        case .retried, .rechecked: begun.insert(id)
        case .completed, .found, .unchanged, .failed, .cancelled: ended.insert(id)
        case .deleted(let deletion): if case .expired = deletion { break } else { ended.insert(id) }
        case .resolved, .progressed, .verified, .paused, .resumed, .moved, .changed, .missing, .altered, .compacted,
            .checkpointed, .repaired, .redacted, .blamed, .used, .pinned, .library:
            break
        }
    }
}

/// What a watcher has been shown, and what it still waits for.
private struct Watcher {
    private let ids: Set<DownloadID>
    private let seesEnded: Bool
    private var waitsFor: Set<DownloadID>?
    /// The hashes of the rows as they were shown. Where two of one download are equal, which never happens, one change
    /// is seen with the next.
    private var shown: [DownloadID: Int] = [:]
    private var begun: Set<DownloadID> = []

    /// - Parameter seesEnded: whether what ended long ago is watched too.
    init(_ query: WatchQuery, seesEnded: Bool = false) {
        self.seesEnded = seesEnded
        ids = Set(query.ids)
        waitsFor = query.untilEnd ? ids : nil
    }

    /// Whether everything waited for has ended.
    var isOver: Bool { waitsFor?.isEmpty ?? false }

    /// Takes note of downloads that became live since the last look.
    mutating func begin(_ new: Set<DownloadID>) { if ids.isEmpty { begun.formUnion(new) } }

    func isWatched(_ row: DownloadRow) -> Bool {
        guard ids.isEmpty else { return ids.contains(row.id) }
        return seesEnded || !row.state.isEnd || shown[row.id] != nil || begun.contains(row.id)
    }

    /// The rows that are news, by id; remembers that they were shown.
    mutating func take(_ rows: some Sequence<DownloadRow>) -> [DownloadRow] {
        var news: [DownloadRow] = []
        for row in rows.sorted(by: { $0.id < $1.id }) {
            let hash = row.hashValue
            guard shown[row.id] != hash else { continue }
            shown[row.id] = row.state.isEnd && ids.isEmpty ? nil : hash
            if row.state.isEnd { waitsFor?.remove(row.id) }
            begun.remove(row.id)
            news.append(row)
        }
        return news
    }
}
