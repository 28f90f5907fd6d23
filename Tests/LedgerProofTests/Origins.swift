import LedgerModel
import LedgerTestSupport
import LedgerTransfer

/// The files of the simulated origin: every length that is a boundary somewhere, with and without validators.
enum Origins {
    /// Their lengths in bytes.
    private static let lengths = [0, 1, 511, 512, 1000, 4096, 5000, 9000, 20_000, 70_000]

    /// Files at places that lie, whose orders name their digests.
    private static let judged: [SimulatedNetwork.Place] = {
        let untruth = OriginEntity.pattern(30_000, seed: 99)
        let brief = Array(untruth.prefix(9000))
        let kinds: [(length: Int, entityTag: String?, turns: [SimulatedNetwork.Turn])] = [
            (20_000, nil, []), (70_000, "\"v1\"", []),
            // An untruth stands on record, and the file is less than that.
            (9000, nil, [.init(untruth, cut: 0.8)]),
            // It stands beside the file's beginning; what may be the rest alone is asked for once more.
            (20_000, "\"v1\"", [.init(cut: 0.5), .init(brief), .init(brief)]),
            // The file stands beside an untruth on record, and more of it comes.
            (40_000, nil, [.init(brief, cut: 0.9), .init(isWhole: true), .init(isWhole: true, cut: 0.8)]),
        ]
        return kinds.enumerated().map { number, kind in
            let bytes = OriginEntity.pattern(kind.length, seed: UInt64(number) + 200)
            var place = SimulatedNetwork.Place(OriginEntity(bytes, entityTag: kind.entityTag))
            (place.turns, place.lies) = (kind.turns, true)
            return place
        }
    }()

    /// How many files there are.
    static let count = lengths.count + judged.count

    /// What the origin has, by path.
    static let places: [String: SimulatedNetwork.Place] = {
        var places: [String: SimulatedNetwork.Place] = [:]
        for (number, length) in lengths.enumerated() {
            var entity = OriginEntity(OriginEntity.pattern(length, seed: UInt64(number) + 100))
            switch number % 5 {
            case 3: entity.entityTag = nil
            case 4:
                entity.entityTag = nil
                entity.lastModified = "Mon, 02 Mar 2026 10:00:00 GMT"
            default: break
            }
            places[path(number)] = SimulatedNetwork.Place(entity)
        }
        for (number, place) in judged.enumerated() { places[path(lengths.count + number)] = place }
        return places
    }()

    /// What the judged files hash to, by path.
    private static let digests: [String: Digest] = places.filter(\.value.lies).mapValues { place in
        let digest = RunningDigest(stated: nil)
        digest.absorb(place.entity.bytes.span.bytes, at: 0)
        return digest.finish().sha256
    }

    static func path(_ number: Int) -> String { "/f\(number).bin" }

    /// An order for a file. The clock goes from one sleeper to the next: no silence is too long.
    static func order(_ number: Int) throws -> Order {
        var options = TransferOptions()
        options.silenceMillisecondsMax = .max
        return Order(
            url: try ResourceURL.parse("http://origin.test" + path(number)).url,
            destination: Destination(directory: SimulatedMachine.files, name: nil), expected: digests[path(number)],
            options: Shared(options))
    }
}
