import LedgerAPI
import LedgerModel

/// What is known of all downloads that someone waits for; fed with the rows that changed.
struct ProgressBoard: Hashable, Sendable {
    /// A download whose state changed.
    struct Move: Hashable, Sendable {
        /// The download as it is now.
        var row: DownloadRow
        /// The sum with this one in it, and not yet those that changed after it.
        var total: ProgressTotal
    }

    private var rows: [DownloadID: DownloadRow] = [:]
    private var running: Set<DownloadID> = []
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

    /// Takes rows into account, and answers those whose state changed, in the order they came.
    mutating func take(_ changed: [DownloadRow]) -> [Move] {
        // All of them are waited for from the same moment on.
        sums.downloads += Set(changed.map(\.id)).count { rows[$0] == nil }
        var moves: [Move] = []
        for row in changed {
            let old = rows.updateValue(row, forKey: row.id)
            if let old { count(old, by: -1) }
            count(row, by: 1)
            if row.state == .running { running.insert(row.id) } else { running.remove(row.id) }
            if old?.state != row.state { moves.append(Move(row: row, total: sums)) }
        }
        return moves
    }

    /// The downloads that run, oldest first.
    var runningRows: [DownloadRow] { running.sorted().compactMap { rows[$0] } }

    /// The sum over all.
    var total: ProgressTotal {
        var total = sums
        if sized > 0 {
            total.size = sizedBytes + lostBytes + sizedBytes / UInt64(sized) * UInt64(unsized)
        }
        for id in running {
            total.rate += rows[id]?.rate ?? 0
            total.resumed += rows[id]?.resumedFrom ?? 0
        }
        return total
    }

    /// Counts a row in (`step` 1) or out again (-1); wrapping is exact, since each goes out as it came in.
    private mutating func count(_ row: DownloadRow, by step: Int) {
        func add(_ bytes: UInt64, to sum: inout UInt64) { sum = step > 0 ? sum &+ bytes : sum &- bytes }
        add(row.received, to: &sums.received)
        sums.states[row.state, default: 0] += step
        if row.isUnchecked { sums.unchecked += step }
        if row.state.isEnd, row.state != .completed {
            add(row.received, to: &lostBytes)
        } else if let size = row.size {
            sized += step
            add(size, to: &sizedBytes)
        } else {
            unsized += step
        }
    }
}
