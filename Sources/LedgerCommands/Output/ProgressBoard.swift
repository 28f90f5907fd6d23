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

    /// What a row adds to the sum: of a hundred thousand, whole rows would be kept for nothing.
    private struct Share: Hashable, Sendable {
        let state: DownloadState
        let received: UInt64
        let size: UInt64?
        let isUnchecked: Bool

        init(_ row: DownloadRow) {
            (state, received, size, isUnchecked) = (row.state, row.received, row.size, row.isUnchecked)
        }
    }

    private var shares: [DownloadID: Share] = [:]
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

    /// Takes rows into account, and answers those whose state changed, in the order they came.
    mutating func take(_ changed: [DownloadRow]) -> [Move] {
        // All of them are waited for from the same moment on.
        sums.downloads += Set(changed.map(\.id)).count { shares[$0] == nil }
        var moves: [Move] = []
        for row in changed {
            let share = Share(row)
            let old = shares.updateValue(share, forKey: row.id)
            if let old { count(old, by: -1) }
            count(share, by: 1)
            running[row.id] = row.state == .running ? row : nil
            if old?.state != row.state { moves.append(Move(row: row, total: sums)) }
        }
        return moves
    }

    /// The downloads that run, oldest first.
    var runningRows: [DownloadRow] { running.values.sorted { $0.id < $1.id } }

    /// The sum over all.
    var total: ProgressTotal {
        var total = sums
        if sized > 0 {
            total.size = sizedBytes + lostBytes + sizedBytes / UInt64(sized) * UInt64(unsized)
        }
        for row in running.values {
            total.rate += row.rate ?? 0
            total.resumed += row.resumedFrom ?? 0
        }
        return total
    }

    /// Counts a row in (`step` 1) or out again (-1); wrapping is exact, since each goes out as it came in.
    private mutating func count(_ share: Share, by step: Int) {
        func add(_ bytes: UInt64, to sum: inout UInt64) { sum = step > 0 ? sum &+ bytes : sum &- bytes }
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
