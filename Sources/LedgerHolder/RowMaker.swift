import LedgerAPI
import LedgerEngine
import LedgerModel
import LedgerSystem
import Synchronization

/// Makes the rows of downloads as they are at one instant: with what their workers do, and when their hours open.
struct RowMaker: Sendable {
    private let live: [DownloadID: LiveFigures]
    private let window: DailyWindow?
    private let now: Timestamp
    private let local: LocalTime

    init(live: [DownloadID: LiveFigures], window: DailyWindow?, _ clock: any LedgerClock) {
        self.live = live
        self.window = window
        (now, local) = (clock.now(), clock.local)
    }

    func row(_ download: Download) -> DownloadRow {
        DownloadRow(
            download, live: live[download.id], opening: download.opening(under: window, at: now, local))
    }
}

extension LedgerService {
    /// Makes rows as they are now.
    var rowMaker: RowMaker {
        RowMaker(live: pool.live, window: limits.withLock { $0.window }, ledger.world.clock)
    }
}
