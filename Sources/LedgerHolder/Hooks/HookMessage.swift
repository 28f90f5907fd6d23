import LedgerAPI
import LedgerCoding
import LedgerModel

/// What a hook is told: one event, and the download that it is about as it is by now.
struct HookMessage: Sendable {
    /// What it is.
    let occasion: HookOccasion
    /// The download; nil when it was redacted since.
    let row: DownloadRow?
    /// The number of the download.
    let id: DownloadID
    /// The same for one event however often it is told, and for no other event of any ledger.
    let key: String
    /// `{"key", "on", "event", "download"}` on one line.
    let json: String

    init(_ occasion: HookOccasion, _ event: Recorded, of id: DownloadID, _ row: DownloadRow?, ledger: String) {
        self.occasion = occasion
        self.id = id
        self.row = row
        key = "\(ledger)-\(event.sequence)"
        let object: JSONValue = [
            "key": .string(key), "on": .string(occasion.rawValue), "event": event.json, "download": row?.json ?? .null,
        ]
        json = object.description
    }
}
