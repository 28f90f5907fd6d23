import LedgerAPI
import LedgerCoding
import LedgerEngine
import LedgerHolder
import LedgerModel
import LedgerSystem
import NIOCore

/// Keeps the feed going: the ledger's events as they become durable, and how the rows stand that they are about.
struct Newsroom: Sendable {
    let service: LedgerService
    let feed: EventFeed
    let rows: RowView
    private let touched = Touched()

    /// A newsroom of a ledger.
    init(_ service: LedgerService, _ feed: EventFeed, _ rows: RowView) {
        self.service = service
        self.feed = feed
        self.rows = rows
    }

    /// How often rows are shown at most.
    static let rowsPause = Duration.milliseconds(250)
    /// How long it is silent at most while somebody reads.
    static let silenceMax = Duration.seconds(15)
    /// The most rows in a frame.
    static let frameRowsMax = 200
    /// The most rows that are shown one by one; of more, readers are told to look for themselves.
    static let rowsMax = 2_000

    /// Works until the ledger is closed or the task is cancelled.
    func run() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await followEvents() }
            group.addTask { await showRows() }
            await group.next()
            group.cancelAll()
        }
        feed.close()
    }

    private func followEvents() async {
        while !Task.isCancelled, await !followToEnd() {
            // Readers go on from the log, and this from what comes next.
            feed.publish([], last: service.ledger.lastSequence)
            let clock = service.ledger.world.clock
            do { try await clock.sleep(until: clock.uptime() + Ledger.followPauseMin) } catch { return }
        }
    }

    /// Hands out events until the ledger is closed; false when the log could not be read, or was compacted past here.
    private func followToEnd() async -> Bool {
        var batches = service.ledger.events(after: feed.last, as: "stream").makeAsyncIterator()
        do throws(LedgerError) {
            while let batch = try await batches.next() {
                guard let last = batch.last?.sequence else { continue }
                // Nobody reads: whoever comes later reads the log up to then.
                guard feed.readers > 0 else {
                    feed.publish([], last: last)
                    continue
                }
                touched.add(batch.compactMap(\.id))
                feed.publish(batch.map { ($0.sequence, Frames.frame($0)) }, last: last)
            }
            return true
        } catch {
            if case .closed = error { return true }
            return false
        }
    }

    private func showRows() async {
        let clock = service.ledger.world.clock
        var (quietSince, ran) = (clock.uptime(), Set<DownloadID>())
        while !Task.isCancelled {
            // Nobody reads: nothing is looked at.
            await feed.waitForReader()
            await waitForNews(ran, until: quietSince + Self.silenceMax)
            do { try await clock.sleep(until: clock.uptime() + Self.rowsPause) } catch { return }
            guard feed.readers > 0 else {
                touched.clear()
                continue
            }
            let runs = service.running
            let ids = touched.take().union(runs).union(ran)
            ran = runs
            if ids.isEmpty {
                guard clock.uptime() - quietSince > Self.silenceMax else { continue }
                feed.publish(Frames.keepAlive)
            } else if ids.count > Self.rowsMax {
                feed.publish(Frames.frame("reload", ["changed": JSONValue(UInt64(ids.count))]))
            } else {
                await show(ids.sorted())
            }
            quietSince = clock.uptime()
        }
    }

    /// Waits until there is something to show, or it was silent for long enough.
    private func waitForNews(_ ran: Set<DownloadID>, until silenceMax: Duration) async {
        // What ran may have been stopped without an event.
        guard ran.isEmpty else { return }
        let ledger = service.ledger
        await ledger.waitForFirst(
            atMost: max(.zero, silenceMax - ledger.world.clock.uptime()),
            of: [{ await service.waitForWork() }, { await touched.wait() }])
    }

    private func show(_ ids: [DownloadID]) async {
        let shown: [JSONValue]
        do throws(Problem) { shown = try await rows.json(of: ids, in: service) } catch { return }
        for start in stride(from: 0, to: shown.count, by: Self.frameRowsMax) {
            let part = shown[start..<min(start + Self.frameRowsMax, shown.count)]
            feed.publish(Frames.frame("rows", ["rows": .array(Array(part))]))
        }
    }

    /// The downloads that events were about since rows were shown last.
    private final class Touched: Sendable {
        private let ids = Watched<Set<DownloadID>>([])

        func add(_ new: [DownloadID]) { ids.change { $0.formUnion(new) } }

        func clear() { ids.withLock { $0 = [] } }

        func wait() async { await ids.wait { !$0.isEmpty } }

        func take() -> Set<DownloadID> {
            ids.withLock { ids in
                defer { ids = [] }
                return ids
            }
        }
    }
}
