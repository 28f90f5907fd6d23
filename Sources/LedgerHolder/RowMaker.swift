import LedgerAPI
import LedgerEngine
import LedgerModel
import LedgerSystem
import Synchronization

/// Makes the rows of downloads as they are at one instant: with what their workers do, and when their hours open.
struct RowMaker: Sendable {
    private let live: [DownloadID: LiveFigures]
    private let window: DailyWindow?
    private let hindrances: Hindrances
    private let now: Timestamp
    private let local: LocalTime

    init(
        live: [DownloadID: LiveFigures], window: DailyWindow?, hindrances: Hindrances, _ clock: any LedgerClock
    ) {
        self.live = live
        self.window = window
        self.hindrances = hindrances
        (now, local) = (clock.now(), clock.local)
    }

    func shown(_ download: Download) -> ShownDownload {
        ShownDownload(
            download, live: live[download.id], opening: download.opening(under: window, at: now, local),
            hindrance: download.isDue(at: now) ? hindrances.reason(for: download) : nil)
    }

    func row(_ download: Download) -> DownloadRow { DownloadRow(shown(download)) }

    /// The state in which a download is shown that is no more than an order; nil when it is more, or has a worker by
    /// now.
    func state(ofUnbegun download: Download) -> DownloadState? {
        guard !download.isBegun, live[download.id] == nil else { return nil }
        let waits = download.opening(under: window, at: now, local) != nil
        return waits || download.phase == .queued && hindrances.reason(for: download) != nil
            ? .waiting : DownloadState(download.phase, isRunning: false)
    }
}

extension LedgerService {
    /// Makes rows as they are now.
    var rowMaker: RowMaker { rowMaker(saying: pool.hindrances) }

    /// Makes rows as they are now, where this keeps some from being begun.
    func rowMaker(saying hindrances: Hindrances) -> RowMaker {
        RowMaker(
            live: pool.live, window: limits.withLock { $0.window }, hindrances: hindrances, ledger.world.clock)
    }
}
