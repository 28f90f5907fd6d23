import LedgerModel
import LedgerTestSupport
import Testing

@testable import LedgerLog

@Suite struct BatchTests {
    private static func batch(_ records: [LogRecord], first: UInt64 = 7, chain: UInt32 = 11, salt: UInt32 = 13)
        -> [UInt8]
    {
        var writer = BatchWriter()
        for (place, record) in records.enumerated() {
            writer.append(record, as: SequenceNumber(first + UInt64(place)))
        }
        var tree = MerkleTree()
        let hasher = LeafHasher(LedgerID(1, 2))
        let length = writer.length
        _ = writer.finish(&tree, hasher, chain: chain, salt: salt)
        #expect(writer.bytes.count == length)
        return writer.bytes
    }

    @Test func `records of every shape come back as they were`() throws {
        let times: [Int64] = [0, 1, -1, .max, .min, 1_750_000_000_000]
        let records = times.enumerated().map { place, time in
            LogRecord(
                type: UInt8(place + 1) | 0x80, version: UInt8(place), time: Timestamp(milliseconds: time),
                payload: [UInt8](repeating: UInt8(place), count: place * 61))
        }
        let bytes = Self.batch(records)
        #expect(bytes.count % 8 == 0)
        let fault = BatchReader.fault(bytes.span, salt: 13)
        #expect(fault == nil)
        let batch = try #require(BatchReader.decode(bytes[...], at: 64))
        #expect(batch.records.map(\.asStaged) == records)
        #expect(batch.records.map(\.sequence.rawValue) == [7, 8, 9, 10, 11, 12])
        #expect(batch.last == SequenceNumber(12))
    }

    @Test func `a batch of another segment, or of another time in it, has other sums`() {
        let bytes = Self.batch([.sample(1)])
        let fault = BatchReader.fault(bytes.span, salt: 14)
        #expect(fault != nil)
        let other = Self.batch([.sample(1)], chain: 12)
        #expect(other[4..<8] != bytes[4..<8])
    }

    @Test func `one bit that turned is found wherever it is, and two are not taken for one`() {
        let bytes = Self.batch([.sample(1), .sample(2)])
        for bit in 0..<bytes.count * 8 {
            var turned = bytes + [UInt8](repeating: 0, count: 64)
            turned[bit / 8] ^= 1 << UInt8(bit % 8)
            let isFound = SingleBit.isWrong(turned.span, salt: 13)
            #expect(isFound, "bit \(bit)")
            guard bit % 8 == 0, bit / 8 >= 8 else { continue }
            turned[(bit / 8 + 9) % (bytes.count - 8) + 8] ^= 0x10
            let isOne = SingleBit.isWrong(turned.span, salt: 13)
            #expect(!isOne, "bit \(bit) and another")
        }
    }

    @Test func `a seal that announces more than any has is none, and no memory is taken for it`() {
        let seal = SegmentSeal(
            first: SequenceNumber(1), count: 1, offset: 64, chain: 7, time: .epoch, tree: MerkleTree(), index: [])
        var bytes = seal.encoded(salt: 1)
        let own = SegmentSeal.length(bytes.span)
        #expect(own == bytes.count)
        bytes.replace(at: 12, with: UInt32.max - 7)
        let damaged = SegmentSeal.length(bytes.span)
        #expect(damaged == nil)
    }

    @Test func `seal, header, head, manifest and snapshot come back, and no byte of them may differ`() throws {
        let id = LedgerID(3, 4)
        var tree = MerkleTree()
        for number in 0..<5 { tree.append(.sha256([UInt8(number)].span)) }
        let header = SegmentHeader(
            identity: id, ordinal: 2, salt: 9, first: SequenceNumber(3), previousSeal: tree.root)
        let seal = SegmentSeal(
            first: SequenceNumber(3), count: 3, offset: 512, chain: 77, time: Timestamp(milliseconds: 5), tree: tree,
            index: [SegmentSeal.Place(sequence: SequenceNumber(3), offset: 64)])
        var manifest = Manifest(identity: id)
        manifest.generation = 4
        let head = Head(generation: 2, size: 5, root: tree.root)
        let snapshot = Snapshot(sequence: SequenceNumber(5), kind: 1, version: 2, root: tree.root, content: [1, 2, 3])
        let rows: [(name: String, bytes: [UInt8], isSame: ([UInt8]) -> Bool)] = [
            ("header", header.encoded, { (try? SegmentHeader(decoding: $0.span)) == header }),
            ("seal", seal.encoded(salt: 9), { SegmentSeal(decoding: $0.span, salt: 9) == seal }),
            ("manifest", manifest.encoded, { (try? Manifest(decoding: $0)) == manifest }),
            ("head", head.encoded(id), { Head(decoding: $0, id) == head }),
            ("snapshot", snapshot.encoded(id), { Snapshot(decoding: $0, id) == snapshot }),
        ]
        for row in rows {
            #expect(row.isSame(row.bytes), "\(row.name)")
            for place in row.bytes.indices {
                var damaged = row.bytes
                damaged[place] ^= 4
                #expect(!row.isSame(damaged), "\(row.name), byte \(place)")
            }
            #expect(!row.isSame(row.bytes.dropLast()), "\(row.name), cut")
        }
    }
}
