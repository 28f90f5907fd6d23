import LedgerAPI
import LedgerModel

/// The sum over all downloads that someone waits for.
struct ProgressTotal: Hashable, Sendable {
    /// How many there are.
    var downloads = 0
    /// How many of them have ended.
    var ended = 0
    /// How many of those were not completed.
    var failed = 0
    /// Bytes received of all whose size is known.
    var received: UInt64 = 0
    /// Their size; nil when it is known of none.
    var size: UInt64?
    /// Bytes a second of those that run.
    var rate: UInt64 = 0
    /// Bytes that were there when their attempts began.
    var resumed: UInt64 = 0

    /// Nothing to wait for.
    init() {}

    /// How long it will take at this rate; nil when nothing moves or a size is not known yet.
    var secondsLeft: UInt64? {
        guard let size, rate > 0, size >= received else { return nil }
        return (size - received + rate - 1) / rate
    }
}

/// What is known of all downloads that someone waits for; fed with the rows that changed.
struct ProgressBoard: Hashable, Sendable {
    private var rows: [DownloadID: DownloadRow] = [:]
    private var running: Set<DownloadID> = []
    private var sums = ProgressTotal()
    private var sizeKnown: UInt64 = 0

    /// Nothing is known yet.
    init() {}

    /// Takes rows into account, and answers those whose state changed, in the order they came.
    mutating func take(_ changed: [DownloadRow]) -> [DownloadRow] {
        var moved: [DownloadRow] = []
        for row in changed {
            let old = rows.updateValue(row, forKey: row.id)
            if let old { count(old, adding: false) } else { sums.downloads += 1 }
            count(row, adding: true)
            if row.state == .running { running.insert(row.id) } else { running.remove(row.id) }
            if old?.state != row.state { moved.append(row) }
        }
        return moved
    }

    /// The downloads that run, oldest first.
    var runningRows: [DownloadRow] { running.sorted().compactMap { rows[$0] } }

    /// The sum over all.
    var total: ProgressTotal {
        var total = sums
        total.size = sizeKnown > 0 ? sizeKnown : nil
        for id in running {
            total.rate += rows[id]?.rate ?? 0
            total.resumed += rows[id]?.resumedFrom ?? 0
        }
        return total
    }

    private mutating func count(_ row: DownloadRow, adding: Bool) {
        let step = adding ? 1 : -1
        if row.state.isEnd { sums.ended += step }
        if row.state.isEnd, row.state != .completed { sums.failed += step }
        guard let size = row.size else { return }
        // Wrapping is exact here: every row is taken away as it was added.
        sums.received = adding ? sums.received &+ row.received : sums.received &- row.received
        sizeKnown = adding ? sizeKnown &+ size : sizeKnown &- size
    }
}
