package import LedgerModel

/// Events in JSON, as ``Recorded/json`` prints them, back to events: one reader for each pass over a file.
package struct EventJSONReader: Sendable {
    private var encoder: EventEncoder

    /// A reader of events of which each takes a record of at most so many bytes.
    package init(payloadBytesMax: Int) { encoder = EventEncoder(payloadBytesMax: payloadBytesMax) }

    /// The event that an object says.
    ///
    /// What is read is encoded for the log and decoded again, so it is held to every rule that a record is; and it is
    /// printed again and compared, so nothing of it is lost in silence. An object that an older release printed may
    /// lack what its version did not have.
    /// - Throws: ``JSONProblem``.
    package mutating func event(_ value: JSONValue) throws(JSONProblem) -> Recorded {
        let fields = try JSONFields(value)
        let name = try fields.text("type")
        guard let kind = Event.Kind.allCases.first(where: { $0.name == name }) else {
            throw JSONProblem("the type '\(name)' is not known; a newer release may have written it")
        }
        let current = EventCoding.version(of: kind)
        let version: UInt8 = try fields.number("version")
        guard version <= current else {
            throw JSONProblem("it is version \(version) of '\(name)'; this program knows up to \(current)")
        }
        let recorded = try recorded(kind, fields)
        guard value.isCovered(by: recorded.json) || version < current else {
            throw JSONProblem("it holds what '\(name)' does not have")
        }
        return recorded
    }

    private mutating func recorded(
        _ kind: Event.Kind, _ fields: JSONFields
    ) throws(JSONProblem) -> Recorded {
        guard let sequence = try fields.sequence("seq") else { throw JSONProblem("'seq' is missing") }
        guard let time = try fields.time("time") else { throw JSONProblem("'time' is missing") }
        let actor = try fields.required("actor") { value in EventActor.allCases.first { $0.name == value.text } }
        let recorded = Recorded(
            sequence: sequence, time: time, id: try fields.sequence("id").map { DownloadID($0) },
            command: try fields.optional("command") { $0.text.flatMap { CommandID(parsing: $0) } }, actor: actor,
            event: try Event(kind, fields))
        do throws(CodingError) { _ = try encoder.encode(recorded) } catch {
            throw JSONProblem("it is not what a log can hold: \(error.cause)")
        }
        return recorded
    }
}

extension Event {
    /// The event of a kind that members say: the inverse of what ``Recorded/json`` prints of it.
    fileprivate init(_ kind: Kind, _ fields: JSONFields) throws(JSONProblem) {
        switch kind {
        case .enqueued:
            self = .enqueued(
                try Order(fields), priority: try fields.number("priority"), rank: try fields.number("rank"))
        case .resolved: self = .resolved(try Origin(fields), generation: try fields.number("generation"))
        case .progressed: self = try .progress(fields)
        case .verified:
            self = .verified(
                length: try fields.number("length"), sha256: try fields.requiredSHA256("digest"),
                path: try fields.text("path"))
        case .completed: self = .completed(try FileIdentity(fields))
        case .failed: self = .failed(try Failure(fields.fields("error")), retryAt: try fields.time("retryAt"))
        case .paused: self = .paused
        case .resumed: self = .resumed
        case .cancelled: self = .cancelled
        case .retried: self = .retried
        case .moved: self = .moved(priority: try fields.number("priority"), rank: try fields.number("rank"))
        case .changed: self = .changed(try Order(fields))
        case .deleted: self = .deleted(try Deletion(fields))
        case .restored: self = .restored(undoing: SequenceNumber(try fields.number("undoing")))
        case .missing: self = .missing
        case .altered: self = .altered(try FileIdentity(fields), sha256: try fields.sha256("digest"))
        case .found:
            self = .found(
                try FileIdentity(fields), sha256: try fields.requiredSHA256("digest"), path: try fields.text("path"),
                isKnown: try fields.flag("known"))
        case .compacted, .checkpointed, .repaired, .redacted: self = try .maintenance(kind, fields)
        case .blamed:
            self = .blamed(
                ResourceURL(recorded: try fields.text("source")), try Failure(fields.fields("error")))
        case .rechecked: self = .rechecked
        case .unchanged: self = .unchanged
        case .used: self = .used
        case .pinned: self = .pinned(try fields.flag("pinned"))
        case .relocated:
            self = .relocated(Relocation(from: try fields.text("from"), to: try fields.text("to")))
        case .limited, .followed, .unfollowed, .listed, .delisted, .refreshed, .taken, .hooked, .delivered:
            self = .library(try LibraryEvent(kind, fields))
        }
    }

    private static func maintenance(_ kind: Kind, _ fields: JSONFields) throws(JSONProblem) -> Event {
        switch kind {
        case .compacted:
            .compacted(through: SequenceNumber(try fields.number("through")), archived: try fields.flag("archived"))
        case .checkpointed:
            .checkpointed(size: try fields.number("size"), root: try fields.requiredSHA256("root"))
        case .repaired: .repaired(cut: try fields.number("cut"), reason: try fields.text("reason"))
        case .redacted:
            .redacted(SequenceNumber(try fields.number("record")), reason: try fields.text("reason"))
        case .enqueued, .resolved, .progressed, .verified, .completed, .failed, .paused, .resumed, .cancelled, .retried,
            .moved, .changed, .deleted, .restored, .missing, .altered, .found, .blamed, .rechecked, .unchanged, .used,
            .pinned, .relocated, .limited, .followed, .unfollowed, .listed, .delisted, .refreshed, .taken, .hooked,
            .delivered:
            preconditionFailure("only events about the log come here")
        }
    }

    private static func progress(_ fields: JSONFields) throws(JSONProblem) -> Event {
        let pairs = try fields.required("ranges") { $0.list }
        var ranges: [Range<UInt64>] = []
        for pair in pairs {
            guard let ends = pair.list, ends.count == 2, let start: UInt64 = ends[0].whole(),
                let end: UInt64 = ends[1].whole(), start < end, ranges.last.map({ $0.upperBound < start }) ?? true
            else { throw JSONProblem("'ranges' are not ascending pairs of offsets") }
            ranges.append(start..<end)
        }
        let sums = try fields.texts("crc32c").map { text throws(JSONProblem) in
            guard text.utf8.count == 8, let sum = UInt32(text, radix: 16) else {
                throw JSONProblem("'crc32c' holds what is no sum")
            }
            return sum
        }
        return .progressed(ByteRangeSet(normalized: ranges), sums: RangeSums(sums))
    }
}

extension JSONFields {
    fileprivate func requiredSHA256(_ name: String) throws(JSONProblem) -> Digest {
        guard let digest = try sha256(name) else { throw JSONProblem("'\(name)' is missing") }
        return digest
    }
}
