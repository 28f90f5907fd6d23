import LedgerModel
import LedgerSystem
import LedgerTestSupport
import SystemPackage
import Testing

@testable import LedgerLog

/// The raw reading of segment files: every byte is told of once, whole or damaged.
struct RawReaderTests {
    private static let segment = home.appending("log").appending("0000000000000001.seg")

    /// Five records in three batches; closed, with a seal, or not.
    private static func ledger(records: Int = 5) throws -> SimulatedDisk {
        let disk = SimulatedDisk()
        var log = try openLog(disk)
        for number in 1...records {
            _ = log.stage(.sample(number))
            if number % 2 == 1 { try log.commit(at: .epoch) }
        }
        try log.commit(at: .epoch)
        try log.close()
        return disk
    }

    private static func items(_ disk: SimulatedDisk) throws(LogError) -> [RawItem] {
        var reader = try RawReader(home: home, fileSystem: disk)
        var items: [RawItem] = []
        while let item = try reader.next() { items.append(item) }
        return items
    }

    /// Every byte behind the header belongs to exactly one item.
    private static func coverIsWhole(_ items: [RawItem]) -> Bool {
        var (place, length): (UInt64, UInt64) = (0, 0)
        for item in items {
            if case .segment(let segment) = item {
                guard place == length else { return false }
                length = segment.extent.length
                place = min(length, UInt64(LogBounds.headerBytes))
            } else {
                guard item.extent.offset == place, item.extent.length > 0 else { return false }
                place += item.extent.length
            }
        }
        return place == length
    }

    @Test func `what a whole log holds is told in order, each record with its bytes`() throws {
        let disk = try Self.ledger(records: 60)
        let items = try Self.items(disk)
        #expect(Self.coverIsWhole(items))
        var records: [StoredRecord] = []
        for case .batch(let batch) in items {
            #expect(batch.misfit == nil)
            for place in batch.records {
                let file = try disk.open(home.appending("log").appending(place.extent.file), .read)
                let bytes = try file.bytes(at: place.payloadOffset, count: place.record.payload.count)
                #expect(bytes == Array(place.record.payload))
                #expect(place.extent.offset + place.extent.length == place.payloadOffset + UInt64(bytes.count))
                file.close()
                records.append(place.record)
            }
        }
        #expect(records == (try readAll(disk)))
        let segments = items.count { if case .segment = $0 { true } else { false } }
        let seals = items.count { if case .seal = $0 { true } else { false } }
        #expect(segments > 2 && seals == segments - 1)
    }

    @Test func `every bit that turns is passed over, and what comes behind it is read`() throws {
        let disk = try Self.ledger()
        let whole = try Self.items(disk)
        let batches = whole.compactMap { if case .batch(let batch) = $0 { batch } else { nil } }
        for bit in Sweep.numbers(LogBounds.headerBytes * 8, Int(batches.last?.extent.offset ?? 0) * 8 - 1, slice: 53) {
            let damaged = disk.copy()
            try damaged.damage(Self.segment) { $0[bit / 8] ^= 1 << UInt8(bit % 8) }
            let items = try Self.items(damaged)
            #expect(Self.coverIsWhole(items), "bit \(bit)")
            let found = items.compactMap { if case .batch(let batch) = $0 { batch } else { nil } }
            #expect(found.count == batches.count - 1, "bit \(bit)")
            #expect(found.allSatisfy { one in batches.contains { $0.records == one.records } })
            let extents = items.compactMap { if case .damage(let extent, _) = $0 { extent } else { nil } }
            #expect(extents.count == 1 && extents[0].offset <= UInt64(bit / 8), "bit \(bit): \(extents)")
            #expect(extents.allSatisfy { $0.offset + $0.length > UInt64(bit / 8) })
        }
    }

    @Test func `any bytes are read to their end`() throws {
        let disk = try Self.ledger()
        var random = SplitMix64(seed: 3)
        for _ in Sweep.numbers(1, 4000, slice: 10) {
            let damaged = disk.copy()
            try damaged.damage(Self.segment) { bytes in
                for _ in 0..<Int.random(in: 1...6, using: &random) {
                    bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
                }
                if Bool.random(using: &random) { bytes.removeLast(Int.random(in: 0..<bytes.count, using: &random)) }
            }
            #expect(Self.coverIsWhole(try Self.items(damaged)))
        }
    }

    @Test func `a batch that was doubled is whole and does not belong where it stands`() throws {
        let disk = try Self.ledger()
        let batches = try Self.items(disk).compactMap { if case .batch(let batch) = $0 { batch } else { nil } }
        let (first, second) = (batches[0].extent, batches[1].extent)
        #expect(first.length <= second.length)
        try disk.damage(Self.segment) { bytes in
            let copy = bytes[Int(first.offset)..<Int(first.offset + first.length)]
            bytes.replaceSubrange(Int(second.offset)..<Int(second.offset + first.length), with: Array(copy))
        }
        let items = try Self.items(disk)
        let misfits = items.compactMap { if case .batch(let batch) = $0 { batch.misfit } else { nil } }
        #expect(misfits.count == 1 && misfits[0].hasPrefix("follows another batch"))
        #expect(Self.coverIsWhole(items))
    }

    @Test func `without a ledger there is nothing`() {
        let error = #expect(throws: LogError.self) { _ = try RawReader(home: home, fileSystem: SimulatedDisk()) }
        #expect(error?.code == .absent)
    }
}
