import LedgerModel
import LedgerTestSupport

/// The files of the simulated origin: every length that is a boundary somewhere, with and without validators.
enum Origins {
    /// Their lengths in bytes.
    private static let lengths = [0, 1, 511, 512, 1000, 4096, 5000, 9000, 20_000, 70_000]

    /// How many files there are.
    static let count = lengths.count

    /// What the origin has, by path.
    static let entities: [String: OriginEntity] = {
        var entities: [String: OriginEntity] = [:]
        for (number, length) in lengths.enumerated() {
            var entity = OriginEntity(OriginEntity.pattern(length, seed: UInt64(number) + 100))
            switch number % 5 {
            case 3: entity.entityTag = nil
            case 4:
                entity.entityTag = nil
                entity.lastModified = "Mon, 02 Mar 2026 10:00:00 GMT"
            default: break
            }
            entities[path(number)] = entity
        }
        return entities
    }()

    static func path(_ number: Int) -> String { "/f\(number).bin" }

    /// An order for a file. The clock goes from one sleeper to the next: no silence is too long.
    static func order(_ number: Int) throws -> Order {
        var options = TransferOptions()
        options.silenceMillisecondsMax = .max
        return Order(
            url: try ResourceURL.parse("http://origin.test" + path(number)).url,
            destination: Destination(directory: SimulatedMachine.files, name: nil), options: Shared(options))
    }
}
