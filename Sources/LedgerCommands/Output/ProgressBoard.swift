import LedgerAPI
import LedgerHolder
import LedgerModel

/// What is known of all downloads that someone waits for; fed with the rows that changed.
struct ProgressBoard: Hashable, Sendable {
    /// A download whose state changed.
    struct Move: Hashable, Sendable {
        /// The download as it is now.
        var row: DownloadRow
        /// The sum with this one in it, and not yet those that changed after it.
        var total: ProgressTotal
        /// Whether its file stands as it was because its origin gave no answer about a newer one.
        var isUnchecked: Bool
    }

    /// What a row adds to the sum: of a hundred thousand, whole rows would be kept for nothing.
    private struct Share: Hashable, Sendable {
        let state: DownloadState
        var received: UInt64 = 0
        var size: UInt64?
        var isUnchecked = false

        init(_ row: DownloadRow, isUnchecked: Bool) {
            (state, received, size, self.isUnchecked) = (row.state, row.received, row.size, isUnchecked)
        }

        /// What a download adds that is no more than an order.
        init(_ state: DownloadState) { self.state = state }
    }

    /// When an origin last said something of a file, whatever it was.
    private struct Answer: Hashable, Sendable {
        let completedAt: Timestamp?
        let checkedAt: Timestamp?

        init(_ row: DownloadRow) { (completedAt, checkedAt) = (row.completedAt, row.checkedAt) }
    }

    private var shares: [DownloadID: Share] = [:]
    /// The last answer about each finished file that is being asked about.
    private var asked: [DownloadID: Answer] = [:]
    /// The others, which have no row yet.
    private var unbegun = Unbegun()
    private var running: [DownloadID: DownloadRow] = [:]
    private var sums = ProgressTotal()
    /// How many are completed, or go on and have a size that is known.
    private var sized = 0
    /// Their bytes.
    private var sizedBytes: UInt64 = 0
    /// How many go on whose size is not known.
    private var unsized = 0
    /// The bytes received of those that have ended without their file: no more will come.
    private var lostBytes: UInt64 = 0

    /// Nothing is known yet.
    init() {}

    /// Takes downloads into account that are told by their number, in place of those that were before.
    mutating func take(_ unbegun: Unbegun) {
        for (state, number) in self.unbegun.counts { count(Share(state), by: -number) }
        for (state, number) in unbegun.counts { count(Share(state), by: number) }
        sums.downloads += unbegun.count - self.unbegun.count
        self.unbegun = unbegun
    }

    /// Counts requests that came to no download.
    mutating func refuse(_ count: Int) { sums.refused += count }

    /// Notes which finished files are asked about: one that stands there again without another answer was not checked,
    /// whoever put an end to it.
    mutating func expect(_ rows: [DownloadRow]) {
        for row in rows where !row.state.isEnd && row.completedAt != nil { asked[row.id] = Answer(row) }
    }

    /// Takes rows into account, and answers those whose state changed, in the order they came.
    mutating func take(_ changed: [DownloadRow]) -> [Move] {
        // All of them are waited for from the same moment on.
        sums.downloads += Set(changed.map(\.id)).count { shares[$0] == nil && !unbegun.contains($0) }
        var moves: [Move] = []
        for row in changed {
            let isUnasked = row.state == .completed && asked[row.id] == Answer(row)
            let share = Share(row, isUnchecked: row.isUnchecked || isUnasked)
            let old = shares.updateValue(share, forKey: row.id) ?? unbegun.remove(row.id).map { Share($0) }
            if let old { count(old, by: -1) }
            count(share, by: 1)
            running[row.id] = row.state == .running ? row : nil
            guard old?.state != row.state else { continue }
            moves.append(Move(row: row, total: sums, isUnchecked: share.isUnchecked))
        }
        return moves
    }

    /// The downloads that run, oldest first.
    var runningRows: [DownloadRow] { running.values.sorted { $0.id < $1.id } }

    /// The sum over all.
    var total: ProgressTotal {
        var total = sums
        if sized > 0 {
            // An origin may state any length.
            let rest = (sizedBytes / UInt64(sized)).multipliedReportingOverflow(by: UInt64(unsized))
            total.size = sizedBytes.addingClamped(lostBytes).addingClamped(rest.overflow ? .max : rest.partialValue)
        }
        for row in running.values {
            total.rate += row.rate ?? 0
            total.resumed += row.resumedFrom ?? 0
        }
        return total
    }

    /// Counts so many equal shares in or, with a negative number, out again; wrapping is exact, since each goes out as
    /// it came in.
    private mutating func count(_ share: Share, by step: Int) {
        func add(_ bytes: UInt64, to sum: inout UInt64) { sum &+= bytes &* UInt64(bitPattern: Int64(step)) }
        add(share.received, to: &sums.received)
        sums.states[share.state, default: 0] += step
        if share.isUnchecked { sums.unchecked += step }
        if share.state.isEnd, share.state != .completed {
            add(share.received, to: &lostBytes)
        } else if let size = share.size {
            sized += step
            add(size, to: &sizedBytes)
        } else {
            unsized += step
        }
    }
}
