package import LedgerAPI
import LedgerEngine
import LedgerModel
import LedgerSystem

extension LedgerService {
    package func watch(
        _ query: WatchQuery, _ receive: @escaping @Sendable ([DownloadRow]) async -> Bool
    ) async throws(Problem) {
        var watcher = Watcher(query)
        var seen = ledger.lastSequence
        let first = try await list(.init()).filter { watcher.isWatched($0) }
        guard await receive(watcher.take(first)), !watcher.isOver else { return }
        let clock = ledger.world.clock
        var quietSince = clock.uptime()
        while !Task.isCancelled {
            await ledger.waitForEvents(after: seen, atMost: .milliseconds(WatchQuery.intervalMilliseconds))
            guard let news = try await touched(after: seen) else { return }
            seen = news.last
            let ids = news.ids.union(pool.live.keys)
            let changed = watcher.take(try await rows(of: ids.sorted()).values.filter { watcher.isWatched($0) })
            // An empty message now and then finds out that nobody listens any more.
            guard !changed.isEmpty || clock.uptime() - quietSince > .seconds(5) else { continue }
            quietSince = clock.uptime()
            guard await receive(changed), !watcher.isOver else { return }
        }
    }

    /// Which downloads the events after `sequence` are about, and the last event; nil once the task is cancelled.
    func touched(
        after sequence: SequenceNumber
    ) async throws(Problem) -> (ids: Set<DownloadID>, last: SequenceNumber)? {
        let last = ledger.lastSequence
        var events = ledger.events(after: sequence).makeAsyncIterator()
        var touched = Set<DownloadID>()
        var seen = sequence
        do throws(LedgerError) {
            while seen < last, let batch = try await events.next() {
                touched.formUnion(batch.compactMap(\.subject))
                seen = batch.last?.sequence ?? last
            }
        } catch { throw Problem(error) }
        return seen < last ? nil : (touched, seen)
    }
}

/// What a watcher has been shown, and what it still waits for.
private struct Watcher {
    private let ids: Set<DownloadID>
    private var waitsFor: Set<DownloadID>?
    private var shown: [DownloadID: DownloadRow] = [:]

    init(_ query: WatchQuery) {
        ids = Set(query.ids)
        waitsFor = query.untilEnd ? ids : nil
    }

    /// Whether everything waited for has ended.
    var isOver: Bool { waitsFor?.isEmpty ?? false }

    func isWatched(_ row: DownloadRow) -> Bool {
        ids.isEmpty ? !row.state.isEnd || shown[row.id] != nil : ids.contains(row.id)
    }

    /// The rows that are news, by id; remembers that they were shown.
    mutating func take(_ rows: some Sequence<DownloadRow>) -> [DownloadRow] {
        var news: [DownloadRow] = []
        for row in rows.sorted(by: { $0.id < $1.id }) where shown[row.id] != row {
            shown[row.id] = row.state.isEnd && ids.isEmpty ? nil : row
            if row.state.isEnd { waitsFor?.remove(row.id) }
            news.append(row)
        }
        return news
    }
}
