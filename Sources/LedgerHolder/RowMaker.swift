import LedgerAPI
import LedgerEngine
import LedgerModel
import LedgerSystem
import Synchronization

/// Makes the rows of downloads as they are at one instant: with what their workers do, and when their hours open.
struct RowMaker: Sendable {
    private let live: [DownloadID: LiveFigures]
    private let window: DailyWindow?
    private let notNow: NotNow?
    private let now: Timestamp
    private let local: LocalTime

    init(
        live: [DownloadID: LiveFigures], window: DailyWindow?, notNow: NotNow?, _ clock: any LedgerClock
    ) {
        self.live = live
        self.window = window
        self.notNow = notNow
        (now, local) = (clock.now(), clock.local)
    }

    func shown(_ download: Download) -> ShownDownload {
        ShownDownload(
            download, live: live[download.id], opening: download.opening(under: window, at: now, local),
            hindrance: notNow?.reason)
    }

    func row(_ download: Download) -> DownloadRow { DownloadRow(shown(download)) }
}

extension LedgerService {
    /// Makes rows as they are now.
    var rowMaker: RowMaker {
        RowMaker(
            live: pool.live, window: limits.withLock { $0.window }, notNow: pool.notNow, ledger.world.clock)
    }
}
