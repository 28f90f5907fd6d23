package import LedgerModel

/// An event as the log's record takes it: the header's type and version, and the payload.
package struct EncodedEvent: Hashable, Sendable {
    /// The type byte: ``Event/Kind`` or, with bit 7 set, a type that older programs may skip.
    package let type: UInt8
    /// The schema version of the payload.
    package let version: UInt8
    /// The envelope and the event's own fields.
    package let payload: [UInt8]

    /// A record's parts.
    package init(type: UInt8, version: UInt8, payload: [UInt8]) {
        self.type = type
        self.version = version
        self.payload = payload
    }
}

/// Events to bytes. The way back is ``EventDecoder``; the schema is written down in `migrations/`.
package enum EventCoding {
    /// Set in a type byte when programs that do not know the type may skip the record.
    package static let ignorableBit: UInt8 = 0x80
    /// The type of a record that holds nothing: it stands where an imported log has something that can not be known.
    package static let gapType: UInt8 = 0xFF

    /// The schema version in which this program writes events of a kind.
    package static func version(of kind: Event.Kind) -> UInt8 {
        switch kind {
        case .verified, .altered, .found, .checkpointed: 2
        case .enqueued, .resolved, .progressed, .completed, .failed, .paused, .resumed, .cancelled, .retried, .moved,
            .changed, .deleted, .restored, .missing, .compacted, .repaired, .redacted, .blamed, .rechecked, .unchanged,
            .used, .pinned, .limited, .followed, .unfollowed, .listed, .delisted, .refreshed, .taken, .hooked,
            .delivered, .relocated:
            1
        }
    }

    /// Encodes an event with its envelope: 1 id, 2 command, 3 actor, then the event's own fields. Equal arguments give
    /// equal bytes.
    ///
    /// - Parameter id: the download it is about; nil for events about the log. An `enqueued` event is its own download
    ///   and stores no id.
    package static func encode(id: DownloadID?, command: CommandID?, actor: EventActor, event: Event) -> EncodedEvent {
        var writer = FieldWriter(capacity: 96)
        if event.kind != .enqueued { writer.uint(1, ifPresent: id?.rawValue) }
        if let command { writer.command(2, command) }
        writer.uint(3, actor.rawValue)
        event.encode(into: &writer)
        return EncodedEvent(type: event.kind.rawValue, version: version(of: event.kind), payload: writer.bytes)
    }
}
