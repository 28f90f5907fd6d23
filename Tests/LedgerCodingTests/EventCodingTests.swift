import LedgerCoding
import LedgerMigrations
import LedgerModel
import LedgerTestSupport
import Testing

/// Encodes an event and decodes it again.
func roundTrip(_ recorded: Recorded) throws -> Recorded? {
    let encoded = EventCoding.encode(
        id: recorded.id, command: recorded.command, actor: recorded.actor, event: recorded.event)
    var decoder = EventDecoder(upcasters: Migrations.upcasters)
    return try decoder.decode(
        type: encoded.type, version: encoded.version, payload: encoded.payload[...], sequence: recorded.sequence,
        time: recorded.time)
}

struct EventCodingTests {
    @Test func `the samples hold every kind of event`() {
        #expect(Set(Samples.events.map(\.kind)) == Set(Event.Kind.allCases))
    }

    /// A field that is added to a value and not to its coding would be lost in silence.
    @Test func `the samples set every field of what orders carry`() {
        #expect(Mirror(reflecting: TransferOptions()).children.count == 28)
        #expect(Mirror(reflecting: Labels()).children.count == 6)
        #expect(Mirror(reflecting: Samples.orders[0]).children.count == 7)
        let confined = Samples.confined.compactMap { event in
            if case .enqueued(let order, _, _) = event { order.options.value } else { nil }
        }
        let orders = [Samples.options, Samples.everything.options.value, Samples.inNamedDirectory.options.value]
        let samples = (orders + confined).map { Array(Mirror(reflecting: $0).children) }
        for (index, plain) in Mirror(reflecting: TransferOptions()).children.enumerated() {
            let isSet = samples.contains { String(describing: $0[index].value) != String(describing: plain.value) }
            #expect(isSet, "\(plain.label ?? "")")
        }
    }

    @Test(arguments: Samples.recorded)
    func `an event comes back as it was recorded`(_ recorded: Recorded) throws {
        #expect(try roundTrip(recorded) == recorded)
    }

    @Test(arguments: Samples.recorded)
    func `every cut of a payload is refused or means a shorter event, and never traps`(
        _ recorded: Recorded
    ) {
        let encoded = EventCoding.encode(id: nil, command: nil, actor: .cli, event: recorded.event)
        var decoder = EventDecoder(upcasters: Migrations.upcasters)
        for count in 0..<encoded.payload.count {
            let result = Result { () throws(CodingError) in
                try decoder.decode(
                    type: encoded.type, version: encoded.version, payload: encoded.payload[..<count],
                    sequence: SequenceNumber(1), time: .epoch)
            }
            switch result {
            case .success(let event): #expect(event?.event != recorded.event)
            case .failure(let error): #expect(error.sequence == SequenceNumber(1))
            }
        }
    }

    @Test func `unknown fields are skipped, at the top and within`() throws {
        var writer = FieldWriter()
        writer.uint(3, 1 as UInt8)
        writer.nested(4) { writer in
            Samples.file.encode(into: &writer)
            writer.string(99, "of a later program")
        }
        writer.int(77, -1)
        var decoder = EventDecoder(upcasters: Migrations.upcasters)
        let event = try decoder.decode(
            type: Event.Kind.completed.rawValue, version: 1, payload: writer.bytes[...], sequence: SequenceNumber(3),
            time: .epoch)
        #expect(event?.event == .completed(Samples.file))
    }

    @Test func `an unknown type is skipped when it may be, else asks for an update`() throws {
        var decoder = EventDecoder(upcasters: Migrations.upcasters)
        #expect(
            try decoder.decode(type: 0xF0, version: 1, payload: [], sequence: SequenceNumber(3), time: .epoch) == nil)
        let error = #expect(throws: CodingError.self) {
            try decoder.decode(type: 0x70, version: 1, payload: [], sequence: SequenceNumber(3), time: .epoch)
        }
        #expect(error?.needsUpdate == true)
        #expect(
            error?.description == """
                event 3 of type 112 can not be read
                  cause: this program does not know the type
                  next:  update ledger: a newer release wrote this
                """)
    }

    @Test func `a newer schema version asks for an update, an older one without an upcaster is an error`() {
        var decoder = EventDecoder(upcasters: Migrations.upcasters)
        let newer = #expect(throws: CodingError.self) {
            try decoder.decode(type: 7, version: 2, payload: [], sequence: SequenceNumber(4), time: .epoch)
        }
        #expect(newer?.problem == .newerVersion(known: 1))
        #expect(
            newer?.description == """
                event 4 'paused' can not be read
                  cause: its schema version is 2, this program knows up to 1
                  next:  update ledger: a newer release wrote this
                """)
        let older = #expect(throws: CodingError.self) {
            try decoder.decode(type: 7, version: 0, payload: [], sequence: SequenceNumber(4), time: .epoch)
        }
        #expect(older?.problem == .noUpcaster)
        #expect(older?.needsUpdate == false)
    }
}
