import LedgerCoding
import LedgerMigrations
import LedgerModel
import LedgerTestSupport
import Testing

extension [UInt8] {
    /// The bytes with one to three edits: a bit flipped, a byte replaced, removed, inserted or doubled, the end cut.
    func mutated(using generator: inout SplitMix64) -> [UInt8] {
        var bytes = self
        for _ in 0..<Int.random(in: 1...3, using: &generator) {
            let place = Int.random(in: 0...bytes.count, using: &generator)
            let value = UInt8.random(in: 0...255, using: &generator)
            switch Int.random(in: 0..<6, using: &generator) {
            case 0 where place < bytes.count: bytes[place] ^= 1 << (value % 8)
            case 1 where place < bytes.count: bytes[place] = value
            case 2 where place < bytes.count: bytes.remove(at: place)
            case 3: bytes.insert(value, at: place)
            case 4: bytes.removeLast(bytes.count - place)
            default: bytes.append(contentsOf: bytes.prefix(place))
            }
        }
        return bytes
    }
}

struct MutationTests {
    static let mutationsPerRun = 100_000
    static let seed: UInt64 = 20_260_302

    @Test func `a hundred thousand mutated payloads are read or refused, and what is read can be written again`() throws
    {
        var generator = SplitMix64(seed: Self.seed)
        let payloads = Samples.recorded.map {
            EventCoding.encode(id: $0.id, command: $0.command, actor: $0.actor, event: $0.event)
        }
        var decoder = EventDecoder(upcasters: Migrations.upcasters)
        var refused = 0
        for number in 0..<Self.mutationsPerRun {
            let original = payloads[number % payloads.count]
            let payload = original.payload.mutated(using: &generator)
            let result = Result { () throws(CodingError) in
                try decoder.decode(
                    type: original.type, version: 1, payload: payload[...], sequence: SequenceNumber(1), time: .epoch)
            }
            switch result {
            case .success(let event?):
                if number % 16 == 0 { #expect(try roundTrip(event) == event, "seed \(Self.seed), number \(number)") }
            case .success(nil): Issue.record("a known type is never skipped")
            case .failure: refused += 1
            }
        }
        #expect(refused > Self.mutationsPerRun / 4)
        #expect(refused < Self.mutationsPerRun)
    }
}
