import FoundationEssentials
import LedgerCoding
import LedgerMigrations
import LedgerModel
import LedgerTestSupport
import Testing

/// `migrations/golden/format-1/events/`: one file for each sample and version, with its bytes and what they
/// mean.
///
/// A missing file is recorded, and the run that records it fails, so that it is looked at and committed.
struct GoldenEventTests {
    static let directory = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../migrations/golden/format-1/events").standardizedFileURL

    @Test(arguments: Samples.recorded.indices)
    func `an event of each version is read as it was meant, and written as the last one was`(_ index: Int) throws {
        let sample = Samples.recorded[index]
        let current = EventCoding.version(of: sample.event.kind)
        let text = Self.golden(sample)
        guard let newest = try Self.stored(sample, index, version: current) else {
            let file = Self.file(sample, index, version: current)
            try FileManager.default.createDirectory(at: Self.directory, withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
            Issue.record("recorded \(file.lastPathComponent): read it, then commit it")
            return
        }
        // What is printed of an event may grow, and only that.
        let (was, now) = (try JSONValue(parsing: newest.utf8), try JSONValue(parsing: text.utf8))
        #expect(was.isCovered(by: now), "\(newest)\n\(text)")
        for version in 1...current {
            // A sample that is younger than a version has no record of it.
            guard let stored = try Self.stored(sample, index, version: version) else { continue }
            let record = try JSONDecoder().decode(StoredRecord.self, from: Data(stored.utf8))
            #expect(record.version == version)
            let payload = try #require([UInt8](hex: record.payload))
            var decoder = EventDecoder(upcasters: Migrations.upcasters)
            let decoded = try decoder.decode(
                type: record.type, version: record.version, payload: payload[...],
                sequence: SequenceNumber(record.sequence), time: Timestamp(milliseconds: record.time))
            #expect(decoded == sample)
        }
    }

    @Test func `a sum that is no SHA-256 where one is named is refused in both versions`() throws {
        let sum = Samples.digest(.sha512)
        for (version, bytes) in [(UInt8(1), [4] + sum.bytes), (1, Samples.sha256.bytes), (2, sum.bytes)] {
            var writer = FieldWriter()
            writer.uint(3, 3 as UInt8)
            writer.uint(4, 7 as UInt64)
            writer.bytes(5, bytes)
            writer.string(6, "/d/x")
            var decoder = EventDecoder(upcasters: Migrations.upcasters)
            let error = #expect(throws: CodingError.self) {
                try decoder.decode(
                    type: Event.Kind.verified.rawValue, version: version, payload: writer.bytes[...],
                    sequence: SequenceNumber(1), time: .epoch)
            }
            #expect(error?.problem == .badValue(field: 5))
        }
    }

    private static func file(_ sample: Recorded, _ index: Int, version: UInt8) -> URL {
        let digits = String(index + 1)
        let number = String(repeating: "0", count: 2 - min(2, digits.utf8.count)) + digits
        let suffix = version == 1 ? "" : "-\(version)"
        return directory.appending(path: "\(number)-\(sample.event.kind.name)\(suffix).json")
    }

    private static func stored(_ sample: Recorded, _ index: Int, version: UInt8) throws -> String? {
        let file = file(sample, index, version: version)
        guard FileManager.default.fileExists(atPath: file.path) else { return nil }
        return String(decoding: try Data(contentsOf: file), as: UTF8.self)
    }

    private struct StoredRecord: Decodable {
        let type: UInt8
        let version: UInt8
        let sequence: UInt64
        let time: Int64
        let payload: String
    }

    private static func golden(_ sample: Recorded) -> String {
        let encoded = EventCoding.encode(
            id: sample.id, command: sample.command, actor: sample.actor, event: sample.event)
        return """
            {
              "type": \(encoded.type),
              "version": \(encoded.version),
              "sequence": \(sample.sequence),
              "time": \(sample.time.milliseconds),
              "payload": "\(encoded.payload.hex)",
              "row": \(sample.json)
            }

            """
    }
}
