import LedgerCoding
import LedgerModel

/// Version 1 of an event held its SHA-256 with the number of the algorithm before it; version 2 holds the sum alone.
struct UpcastPlainSHA256: Upcaster {
    /// The kinds of events that hold one, all of them in ``sumField``.
    static let kinds: [Event.Kind] = [.verified, .altered, .found, .checkpointed]
    /// The number of the field with the sum.
    static let sumField: UInt32 = 5
    /// What stood before a SHA-256.
    static let algorithm: UInt8 = 3
    /// The length of a SHA-256.
    static let sumBytes = 32

    let type: UInt8
    let from: UInt8 = 1
    let to: UInt8 = 2

    init(_ kind: Event.Kind) { type = kind.rawValue }

    func upcast(_ event: RawEvent) throws(CodingError) -> RawEvent {
        var event = event
        for (place, field) in event.fields.enumerated() where field.number == Self.sumField {
            let stored = try field.slice()
            guard stored.count == Self.sumBytes + 1, stored.first == Self.algorithm else { throw field.badValue }
            event.fields[place] = Field(number: field.number, content: .bytes(stored.dropFirst()))
        }
        return event
    }
}
