import LedgerAPI
import LedgerCoding
import LedgerModel

extension DownloadRow {
    /// The row as `--json` prints it: every key of the contract, in its order, null where there is nothing.
    var json: JSONValue {
        let failing: JSONValue =
            error.map {
                ["code": .string($0.code), "message": .string($0.message), "retryable": .bool($0.retryable)]
            } ?? .null
        return [
            "id": JSONValue(id.rawValue), "url": .string(url), "path": .string(path),
            "state": .string(state.rawValue), "size": JSONValue(size), "received": JSONValue(received),
            "digest": JSONValue(digest), "kind": .string(kind.rawValue), "group": JSONValue(group),
            "title": JSONValue(title), "details": JSONValue(details), "tags": JSONValue(tags),
            "priority": JSONValue(priority), "attempts": JSONValue(attempts), "error": failing,
            "addedAt": .string(addedAt.rfc3339), "startedAt": JSONValue(startedAt?.rfc3339),
            "completedAt": JSONValue(completedAt?.rfc3339),
            "checkedAt": JSONValue(checkedAt?.rfc3339), "retryAt": JSONValue(retryAt?.rfc3339),
            "rate": JSONValue(rate), "resumedFrom": JSONValue(resumedFrom), "insecure": .bool(insecure),
            "identifier": JSONValue(identifier), "published": JSONValue(published?.rfc3339),
            "usedAt": JSONValue(usedAt?.rfc3339), "pinned": .bool(pinned),
        ]
    }
}

extension DownloadRow {
    /// The row as `add --json` prints it: also whether the ledger had this download already.
    func json(joined isJoined: Bool) -> JSONValue {
        guard case .object(var object) = json else { return json }
        object["joined"] = .bool(isJoined)
        return .object(object)
    }
}

extension Problem {
    /// The error as `--json` prints it.
    var json: JSONValue {
        [
            "error": [
                "code": .string(code.rawValue), "message": .string(message), "cause": JSONValue(cause),
                "next": JSONValue(next), "exitCode": JSONValue(exitCode.rawValue),
            ]
        ]
    }
}

extension ActionAnswer {
    /// The answer as `--json` prints it: the row, with the event that was undone, or the refusal with its id.
    var json: JSONValue {
        if let row {
            guard let undone, case .object(var object) = row.json else { return row.json }
            object["undone"] = JSONValue(undone.rawValue)
            return .object(object)
        }
        guard let refusal, case .object(let error) = refusal.json else { return .null }
        var object: JSONObject = ["id": JSONValue(id?.rawValue)]
        object.merge(error)
        return .object(object)
    }
}

extension RedactReport {
    /// The line that `redact --json` ends with.
    var json: JSONValue {
        [
            "summary": [
                "ids": .array(ids.map { JSONValue($0.rawValue) }), "records": JSONValue(records),
                "segments": JSONValue(segments), "archived": JSONValue(archived), "snapshots": JSONValue(snapshots),
                "unreached": JSONValue(unreached), "root": .string(root), "dryRun": .bool(isDryRun),
            ]
        ]
    }
}

extension CompactReport {
    /// The line that `compact --json` ends with.
    var json: JSONValue {
        [
            "summary": [
                "through": JSONValue(through.rawValue), "last": JSONValue(last.rawValue), "root": .string(root),
                "eventsDropped": JSONValue(eventsDropped), "segmentsDropped": JSONValue(segmentsDropped),
                "segmentsThinned": JSONValue(segmentsThinned),
                "bytesBefore": JSONValue(bytesBefore), "bytesAfter": JSONValue(bytesAfter),
                "archived": .bool(archived), "dryRun": .bool(isDryRun),
            ]
        ]
    }
}
