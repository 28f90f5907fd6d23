package import LedgerAPI
import LedgerEngine
package import LedgerModel

extension LedgerService {
    /// What runs now.
    package var running: Set<DownloadID> { Set(pool.live.keys) }

    /// The bytes that all of them receive in a second now.
    package var bytesPerSecond: UInt64 { pool.live.values.reduce(0) { $0 + ($1.rate ?? 0) } }

    /// Shows a download as it is at this instant.
    package var makeShown: @Sendable (Download) -> ShownDownload {
        let maker = rowMaker
        return { maker.shown($0) }
    }

    /// Makes the row of a download as it is at this instant.
    package var makeRow: @Sendable (Download) -> DownloadRow {
        let maker = rowMaker
        return { maker.row($0) }
    }
}
