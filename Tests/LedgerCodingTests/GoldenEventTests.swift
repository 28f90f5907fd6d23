import FoundationEssentials
import LedgerCoding
import LedgerMigrations
import LedgerModel
import LedgerTestSupport
import Testing

/// `migrations/golden/format-1/events/`: one file for each sample, with its bytes and what they mean.
///
/// A missing file is recorded, and the run that records it fails, so that it is looked at and committed.
struct GoldenEventTests {
    static let directory = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../migrations/golden/format-1/events").standardizedFileURL

    @Test(arguments: Samples.recorded.indices)
    func `an event of format 1 is read as it was meant and written as it was`(_ index: Int) throws {
        let sample = Samples.recorded[index]
        let digits = String(index + 1)
        let name = String(repeating: "0", count: 2 - min(2, digits.utf8.count)) + digits + "-" + sample.event.kind.name
        let file = Self.directory.appending(path: name + ".json")
        let text = Self.golden(sample)
        guard FileManager.default.fileExists(atPath: file.path) else {
            try FileManager.default.createDirectory(at: Self.directory, withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
            Issue.record("recorded \(name).json: read it, then commit it")
            return
        }
        let stored = String(decoding: try Data(contentsOf: file), as: UTF8.self)
        #expect(stored == text)

        let record = try JSONDecoder().decode(StoredRecord.self, from: Data(stored.utf8))
        let payload = try #require([UInt8](hex: record.payload))
        var decoder = EventDecoder(upcasters: Migrations.upcasters)
        let decoded = try decoder.decode(
            type: record.type, version: record.version, payload: payload[...],
            sequence: SequenceNumber(record.sequence), time: Timestamp(milliseconds: record.time))
        #expect(decoded == sample)
    }

    private struct StoredRecord: Decodable {
        let type: UInt8
        let version: UInt8
        let sequence: UInt64
        let time: Int64
        let payload: String
    }

    private static func golden(_ sample: Recorded<Event>) -> String {
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
