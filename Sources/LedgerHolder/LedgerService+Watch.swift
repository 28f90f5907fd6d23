package import LedgerAPI
import LedgerEngine
import LedgerModel
import LedgerSystem

extension LedgerService {
    package func watch(
        _ query: WatchQuery, _ receive: @escaping @Sendable ([DownloadRow]) async -> Bool
    ) async throws(Problem) {
        try await watch(
            query, Watcher(query), partRowsMax: Self.watchedRowsMax, beat: Self.quietMax
        ) { rows, _, _ in await receive(rows) }
    }

    /// The same for who is in this process, and can not have gone away unnoticed: one empty message says that nothing
    /// more happens, and nothing is done until something does. Of a queue that is long, what is no more than an order
    /// is told by its number, which takes the place of the one that was told before; it has a row once more is known.
    package func watchHere(
        _ receive: @escaping @Sendable ([DownloadRow], Unbegun?) async -> Bool
    ) async throws(Problem) {
        let query = WatchQuery(untilEnd: false)
        let watcher = Watcher(query, rowsMax: Self.watchedRowsMax)
        try await watch(query, watcher, partRowsMax: Self.watchedRowsMax, beat: nil) { rows, _, unbegun in
            await receive(rows, unbegun)
        }
    }

    /// Hands over all rows that have not ended, then every one that something happened to, whatever its state, with
    /// what it was, until `receive` says false or the task is cancelled.
    package func watchEverything(
        _ receive: @escaping @Sendable ([DownloadRow], Touched) async -> Bool
    ) async throws(Problem) {
        let query = WatchQuery(untilEnd: false)
        try await watch(query, Watcher(query, seesEnded: true), partRowsMax: .max, beat: nil) { rows, touched, _ in
            await receive(rows, touched)
        }
    }

    /// How many rows are handed over at once in the beginning: of a long queue, all of them would be in memory.
    private static let watchedRowsMax = 1000
    /// How long it is quiet at most behind something that was handed over, and while something runs.
    private static let quietMax = Duration.seconds(5)

    /// How often in a row the log may be found unreadable, as for want of a descriptor, before a watch ends with it.
    private static let failuresMax = 60

    /// How long between two looks at what runs.
    private static let interval = Duration.milliseconds(WatchQuery.intervalMilliseconds)

    /// - Parameter beat: how long it is quiet at most while nothing happens; nil for as long as nothing does.
    private func watch(
        _ query: WatchQuery, _ start: Watcher, partRowsMax: Int, beat: Duration?,
        _ receive: @escaping @Sendable ([DownloadRow], Touched, Unbegun?) async -> Bool
    ) async throws(Problem) {
        var watcher = start
        let (queue, first) = try await read { ($0.queue, $0.sequence) }
        var (left, seen) = (watcher.ids(of: queue, rowMaker)[...], first)
        var counted = watcher.counted
        repeat {
            let part = try await rows(of: Array(left.prefix(partRowsMax)))
            left = left.dropFirst(partRowsMax)
            let rows = watcher.take(part.values)
            guard await receive(rows, Touched(last: seen), counted), !watcher.isOver else { return }
            counted = nil
        } while !left.isEmpty
        let clock = ledger.world.clock
        var quietSince = clock.uptime()
        // What ran when its row was made may have been stopped without an event: its hours are over.
        var ran: Set<DownloadID> = []
        var allSince = clock.uptime()
        var hindrances = pool.hindrances
        var isLastLook = false
        var wasHandedRows = true
        while !isLastLook {
            let pause = ran.isEmpty ? wasHandedRows ? Self.quietMax : beat : Self.interval
            await waitForNews(after: seen, ran: ran, unless: hindrances, atMost: pause)
            // What happened up to a cancellation is still told.
            isLastLook = Task.isCancelled
            guard let (downloads, news) = try await look(after: seen) else { return }
            seen = news.last
            watcher.begin(news.begun)
            let (runs, hindrancesNow) = (Set(pool.live.keys), pool.hindrances)
            let maker = rowMaker(saying: hindrancesNow)
            let rest = watcher.rest(of: news.ids, in: downloads, maker)
            var (ids, hasCounted) = (rest, rest.count < news.ids.count)
            // Of many small files events come all the time: how far each has come is looked at now and then.
            if isLastLook || ran.isEmpty || clock.uptime() - allSince >= Self.interval {
                ids = ids.union(runs).union(ran)
                (ran, allSince) = (runs, clock.uptime())
            } else {
                ran = ran.subtracting(rest).union(rest.intersection(runs))
            }
            if hindrancesNow != hindrances {
                // What waits may do so for another reason now, without an event.
                hindrances = hindrancesNow
                ids.formUnion(watcher.ids(of: try await read { $0.queue }, maker))
                hasCounted = watcher.counted != nil
            }
            let shown = ids.compactMap { downloads[$0].map(maker.row) }.filter { row in
                // An end is shown with its event: what has just ended may still be among what runs, and is no news.
                watcher.isWatched(row) && (news.ids.contains(row.id) || !row.state.isEnd)
            }
            let changed = watcher.take(shown)
            // An empty message now and then finds out that nobody listens any more.
            let isNews = hasCounted || !changed.isEmpty
            guard isNews || clock.uptime() - quietSince >= Self.quietMax else { continue }
            quietSince = clock.uptime()
            wasHandedRows = isNews
            guard await receive(changed, news, hasCounted ? watcher.counted : nil), !watcher.isOver else { return }
        }
    }

    /// What happened since an event, and how all downloads stand at one instant behind it: what events say of a row is
    /// what it shows. Nil once there is no more. What can not be read, as for want of a descriptor, is read again.
    private func look(after seen: SequenceNumber) async throws(Problem) -> (DownloadTable, Touched)? {
        var failures = 0
        while true {
            // A task of its own: it is not cancelled with this one.
            let look = Task { () -> Result<(DownloadTable, Touched)?, Problem> in
                do throws(Problem) {
                    let (downloads, last) = try await read { ($0.queue.downloads, $0.sequence) }
                    return .success(try await touched(after: seen, upTo: last).map { (downloads, $0) })
                } catch { return .failure(error) }
            }
            do throws(Problem) { return try await look.value.get() } catch {
                failures += 1
                let passes = error.code == .disk || error.code == .diskFull
                guard passes, !Task.isCancelled, failures <= Self.failuresMax else { throw error }
            }
            let clock = ledger.world.clock
            do { try await clock.sleep(until: clock.uptime() + Ledger.followPauseMin) } catch {
                // Cancelled: looked at once more, for what happened up to then.
            }
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
