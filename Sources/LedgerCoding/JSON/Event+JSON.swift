package import LedgerModel

extension Recorded {
    /// The event as `replay --json` prints it: `seq`, `time`, `type`, `version`, `id`, `actor`, `command`, then the
    /// event's own fields.
    package var json: JSONValue {
        var object: JSONObject = [
            "seq": JSONValue(sequence.rawValue),
            "time": .string(time.rfc3339),
            "type": .string(event.kind.name),
            "version": JSONValue(EventCoding.version(of: event.kind)),
            "id": JSONValue(id?.rawValue),
            "actor": .string(actor.name),
            "command": JSONValue(command?.description),
        ]
        object.merge(event.ownFields)
        return .object(object)
    }
}

extension Event {
    /// The event's own fields, all of them, named in camel case.
    fileprivate var ownFields: JSONObject {
        switch self {
        case .enqueued(let order, let priority, let rank):
            var fields = order.fields
            fields["priority"] = JSONValue(priority)
            fields["rank"] = JSONValue(rank)
            return fields
        case .resolved(let origin, let generation):
            var fields = origin.fields
            fields["generation"] = JSONValue(generation)
            return fields
        case .progressed(let ranges, let sums):
            var fields: JSONObject = ["ranges": ranges.json]
            if !sums.isEmpty { fields["crc32c"] = .array(sums.values.map(\.json)) }
            return fields
        case .verified(let length, let sha256, let path):
            return ["length": JSONValue(length), "digest": sha256.json, "path": .string(path)]
        case .completed(let identity): return identity.fields
        case .failed(let failure, let retryAt):
            return ["error": failure.json, "retryAt": JSONValue(retryAt?.rfc3339)]
        case .paused, .resumed, .cancelled, .retried, .missing, .rechecked, .unchanged, .used: return [:]
        case .pinned(let isPinned): return ["pinned": .bool(isPinned)]
        case .relocated(let relocation):
            return ["from": .string(relocation.from), "to": .string(relocation.to)]
        case .library(let event): return event.ownFields
        case .moved(let priority, let rank): return ["priority": JSONValue(priority), "rank": JSONValue(rank)]
        case .changed(let order): return order.fields
        case .deleted(let deletion): return deletion.fields
        case .restored(let sequence): return ["undoing": JSONValue(sequence.rawValue)]
        case .altered(let identity, let sha256):
            var fields = identity.fields
            fields["digest"] = sha256?.json ?? .null
            return fields
        case .found(let identity, let sha256, let path, let isKnown):
            var fields = identity.fields
            fields.merge(["digest": sha256.json, "path": .string(path)])
            if isKnown { fields["known"] = true }
            return fields
        case .compacted(let through, let archived):
            return ["through": JSONValue(through.rawValue), "archived": .bool(archived)]
        case .checkpointed(let size, let root): return ["size": JSONValue(size), "root": root.json]
        case .repaired(let cut, let reason): return ["cut": JSONValue(cut), "reason": .string(reason)]
        case .redacted(let sequence, let reason):
            return ["record": JSONValue(sequence.rawValue), "reason": .string(reason)]
        case .blamed(let source, let failure): return ["source": .string(source.text), "error": failure.json]
        }
    }
}

extension UInt32 {
    /// A sum: hexadecimal, all 8 digits.
    fileprivate var json: JSONValue {
        .string((0..<4).reversed().map { UInt8(truncatingIfNeeded: self >> ($0 * 8)) }.hex)
    }
}
