package import LedgerAPI
package import LedgerCoding
import LedgerHolder
import LedgerModel

extension ListingRow {
    /// The row as `--json` prints it.
    package var json: JSONValue {
        [
            "id": JSONValue(id), "kind": .string(kind.name), "source": .string(source),
            "title": JSONValue(title), "group": JSONValue(group), "directory": .string(directory),
            "keep": JSONValue(newestMax), "filter": JSONValue(filter), "auto": .bool(isAutomatic),
            "intervalSeconds": JSONValue(intervalSeconds), "refreshedAt": JSONValue(refreshedAt?.rfc3339),
            "nextAt": .string(nextAt.rfc3339), "error": error?.json ?? .null, "entries": JSONValue(UInt64(entries)),
            "downloaded": JSONValue(UInt64(downloaded)),
        ]
    }
}

extension EntryRow {
    /// The row as `--json` prints it: `state` is that of its download, or `available`.
    package var json: JSONValue {
        [
            "listing": JSONValue(listing), "guid": .string(guid), "url": .string(url), "title": JSONValue(title),
            "details": JSONValue(details), "kind": .string(kind.rawValue), "mediaType": JSONValue(mediaType),
            "length": JSONValue(length), "published": JSONValue(published?.rfc3339), "group": JSONValue(group),
            "thumbnail": JSONValue(thumbnail), "order": JSONValue(order),
            "durationSeconds": JSONValue(durationSeconds), "offered": .bool(isOffered),
            "state": .string(download?.state.rawValue ?? "available"), "download": download?.json ?? .null,
        ]
    }
}
