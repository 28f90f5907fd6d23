package import LedgerAPI
package import LedgerCoding
import LedgerModel

extension DownloadRow {
    /// The row as `--json` prints it: every key of the contract, in its order, null where there is nothing.
    package var json: JSONValue {
        [
            "id": JSONValue(id.rawValue), "url": .string(url), "path": .string(path),
            "state": .string(state.rawValue), "size": JSONValue(size), "received": JSONValue(received),
            "digest": JSONValue(digest), "kind": .string(kind.rawValue), "group": JSONValue(group),
            "title": JSONValue(title), "details": JSONValue(details), "tags": JSONValue(tags),
            "priority": JSONValue(priority), "attempts": JSONValue(attempts), "error": error?.json ?? .null,
            "addedAt": .string(addedAt.rfc3339), "startedAt": JSONValue(startedAt?.rfc3339),
            "completedAt": JSONValue(completedAt?.rfc3339),
            "checkedAt": JSONValue(checkedAt?.rfc3339), "retryAt": JSONValue(retryAt?.rfc3339),
            "rate": JSONValue(rate), "resumedFrom": JSONValue(resumedFrom), "streams": JSONValue(streams),
            "insecure": .bool(insecure), "identifier": JSONValue(identifier),
            "published": JSONValue(published?.rfc3339), "usedAt": JSONValue(usedAt?.rfc3339),
            "pinned": .bool(pinned), "output": JSONValue(output),
            "checksum": JSONValue(checksum), "options": .object(options.fields),
        ]
    }
}

extension [AskedOption] {
    /// Each under its name.
    fileprivate var fields: JSONObject { reduce(into: [:]) { $0[$1.name] = $1.value.json } }
}

extension AskedOption.Value {
    /// The value as the API takes it.
    package var json: JSONValue {
        switch self {
        case .flag: true
        case .number(let number): JSONValue(number)
        case .text(let text): .string(text)
        case .texts(let texts): JSONValue(texts)
        }
    }
}

extension DownloadRow.Failing {
    /// `{"code", "message", "retryable"}`.
    package var json: JSONValue {
        ["code": .string(code), "message": .string(message), "retryable": .bool(retryable)]
    }
}
