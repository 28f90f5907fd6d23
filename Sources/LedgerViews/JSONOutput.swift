package import LedgerAPI
package import LedgerCoding
import LedgerHolder
import LedgerModel

extension DownloadRow {
    /// The row as `add --json` prints it: also whether the ledger had this download already.
    package func json(joined isJoined: Bool) -> JSONValue {
        guard case .object(var object) = json else { return json }
        object["joined"] = .bool(isJoined)
        return .object(object)
    }
}

extension Problem {
    /// The error as `--json` prints it.
    package var json: JSONValue {
        [
            "error": [
                "code": .string(code.rawValue), "message": .string(message), "cause": JSONValue(cause),
                "next": JSONValue(next), "exitCode": JSONValue(exitCode.rawValue),
            ]
        ]
    }

    /// The refusal of a request as `add --json` and `get --json` print it: with its URL, for there is no number.
    package func json(of request: EnqueueRequest) -> JSONValue {
        guard case .object(var object) = json else { return json }
        object["url"] = .string(Redaction.redacted(request.url))
        return .object(object)
    }
}

extension ActionAnswer {
    /// The answer as `--json` prints it: the row, with the event that was undone, or the refusal with its id.
    package var json: JSONValue {
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
    package var json: JSONValue {
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
    package var json: JSONValue {
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
