package import LedgerModel

/// Bytes to events: one decoder for each pass over a log, so that what many events share is made once.
package struct EventDecoder: Sendable {
    private let upcasters: UpcasterChain
    private var interner = Interner()

    /// A decoder that lifts old schema versions with these upcasters (those of `LedgerMigrations`).
    package init(upcasters: UpcasterChain) { self.upcasters = upcasters }

    /// The event that a record holds.
    ///
    /// - Returns: nil for a type or version that this program does not know and that its writer marked as one that
    ///   older programs may skip (bit 7 of the type).
    /// - Throws: ``CodingError`` with the record's place; ``CodingError/needsUpdate`` tells a newer log from a bad one.
    package mutating func decode(
        type: UInt8, version: UInt8, payload: Span<UInt8>, sequence: SequenceNumber, time: Timestamp
    ) throws(CodingError) -> Recorded? {
        var events: [Recorded] = []
        try decode(type: type, version: version, payload: payload, sequence: sequence, time: time, into: &events)
        return events.first
    }

    /// Adds the event that a record holds to those before it; none where
    /// ``decode(type:version:payload:sequence:time:)`` returns nil.
    /// - Throws: ``CodingError`` as that does; nothing is added then.
    package mutating func decode(
        type: UInt8, version: UInt8, payload: Span<UInt8>, sequence: SequenceNumber, time: Timestamp,
        into events: inout [Recorded]
    ) throws(CodingError) {
        do throws(CodingError) {
            try decodePlaced(type, version, payload, sequence, time, &events)
        } catch {
            throw error.at(type: type, version: version, sequence: sequence)
        }
    }

    /// The download that a record of any version but an `enqueued` is about; nil when it is about none, or when the
    /// bytes are not those of an event.
    package static func download(in payload: ArraySlice<UInt8>) -> DownloadID? {
        do throws(CodingError) {
            var reader = FieldReader(payload.span)
            guard let id = try reader.optional(1)?.sequence() else { return nil }
            return DownloadID(id)
        } catch { return nil }
    }

    private mutating func decodePlaced(
        _ type: UInt8, _ version: UInt8, _ payload: Span<UInt8>, _ sequence: SequenceNumber, _ time: Timestamp,
        _ events: inout [Recorded]
    ) throws(CodingError) {
        let isIgnorable = type & EventCoding.ignorableBit != 0
        guard let kind = Event.Kind(rawValue: type) else {
            if isIgnorable { return }
            throw CodingError(.unknownType)
        }
        let current = EventCoding.version(of: kind)
        guard version <= current else {
            if isIgnorable { return }
            throw CodingError(.newerVersion(known: current))
        }
        guard version == current else {
            let raw = try RawEvent(type: type, version: version, payload: payload)
            let lifted = try upcasters.lift(raw, to: current).payload
            return try read(kind, lifted.span, sequence, time, &events)
        }
        try read(kind, payload, sequence, time, &events)
    }

    private mutating func read(
        _ kind: Event.Kind, _ payload: Span<UInt8>, _ sequence: SequenceNumber, _ time: Timestamp,
        _ events: inout [Recorded]
    ) throws(CodingError) {
        var reader = FieldReader(payload)
        let id = try reader.optional(1)?.sequence()
        let command = try reader.optional(2)?.command()
        let number = try reader.required(3)
        guard let actor = EventActor(rawValue: try number.uint()) else { throw number.badValue }
        let event = try Event.decode(kind, &reader, &interner)
        try reader.finish()
        // By a pattern: `==` of an enumeration of another module is looked up at run time.
        let own: DownloadID? = if case .enqueued = kind { DownloadID(sequence) } else { id.map { DownloadID($0) } }
        events.append(sequence: sequence, time: time, id: own, command: command, actor: actor, event: event)
    }
}
