package import LedgerAPI
package import LedgerCoding
import LedgerModel

extension LimitReport {
    /// The limits as `limit --json` prints them.
    package var json: JSONValue {
        [
            "jobs": JSONValue(UInt64(runningMax)), "perHost": JSONValue(UInt64(runningPerHostMax)),
            "maxRate": JSONValue(bytesPerSecondMax), "queueMax": JSONValue(UInt64(queuedDownloadsMax)),
            "queuePolicy": .string(queuePolicy), "window": JSONValue(window),
            "running": JSONValue(UInt64(running)), "queued": JSONValue(UInt64(queued)),
        ]
    }
}
