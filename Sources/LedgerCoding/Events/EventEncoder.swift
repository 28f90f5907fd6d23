package import LedgerModel

/// Events to bytes that lead back to them: what would be read as another event, or not at all, is refused before it is
/// anywhere, for a log that holds it could not be folded again.
package struct EventEncoder: Sendable {
    private let payloadBytesMax: Int
    private var decoder = EventDecoder(upcasters: UpcasterChain([]))

    /// An encoder for many events, of which each takes a record of at most so many bytes.
    package init(payloadBytesMax: Int) { self.payloadBytesMax = payloadBytesMax }

    /// What a record of the event holds.
    /// - Throws: ``CodingError``: what of it a record can not hold.
    package mutating func encode(_ event: Recorded) throws(CodingError) -> EncodedEvent {
        let encoded = EventCoding.encode(
            id: event.id, command: event.command, actor: event.actor, event: event.event)
        let decoded = try decoder.decode(
            type: encoded.type, version: encoded.version, payload: encoded.payload.span, sequence: event.sequence,
            time: event.time)
        let flaw: CodingError.Problem? =
            if encoded.payload.count > payloadBytesMax {
                .tooLong(bytes: encoded.payload.count, max: payloadBytesMax)
            } else if decoded != event { .unfaithful } else { nil }
        if let flaw {
            throw CodingError(flaw).at(type: encoded.type, version: encoded.version, sequence: event.sequence)
        }
        return encoded
    }
}
