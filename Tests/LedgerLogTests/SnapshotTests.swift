import LedgerModel
import LedgerTestSupport
import Testing

@testable import LedgerLog

/// A snapshot's file: short ones as they are, long ones packed, damaged ones none.
struct SnapshotTests {
    private static let identity = LedgerID(3, 9)

    private func snapshot(_ count: Int) -> Snapshot {
        let content = (0..<count).map { UInt8(truncatingIfNeeded: $0 / 50) }
        return Snapshot(sequence: 7, kind: 1, version: 2, root: MerkleTree.emptyRoot, content: content)
    }

    @Test(arguments: [0, 1, Snapshot.packedBytesMin - 1, Snapshot.packedBytesMin, GzipMember.plainBytesMax, 3_000_001])
    func `it is read as it was written, and a long one is packed`(count: Int) throws {
        let snapshot = snapshot(count)
        let bytes = snapshot.encoded(Self.identity)
        #expect(Snapshot(decoding: bytes, Self.identity) == snapshot)
        #expect((bytes.count < count / 4) == (count >= Snapshot.packedBytesMin))
        for place in [0, 7, 44, bytes.count / 2, bytes.count - 1] {
            var damaged = bytes
            damaged[place] ^= 4
            #expect(Snapshot(decoding: damaged, Self.identity) == nil, "byte \(place)")
        }
        #expect(Snapshot(decoding: Array(bytes.dropLast()), Self.identity) == nil)
    }

    @Test func `members that hold more than they may, or are cut, are none`() throws {
        let packed = try #require(GzipMember.packAll(snapshot(3_000_000).content, .low))
        #expect(GzipMember.unpackAll(packed[...], bytesMax: 3_000_000)?.count == 3_000_000)
        #expect(GzipMember.unpackAll(packed[...], bytesMax: 2_999_999) == nil)
        #expect(GzipMember.unpackAll(packed.dropLast(), bytesMax: 3_000_000) == nil)
        #expect(GzipMember.unpackAll([], bytesMax: 0) == [])
    }

    @Test func `many members are unpacked each to its place, and none where one is damaged`() throws {
        let content = snapshot(9 << 20).content
        let packed = try #require(GzipMember.packAll(content, .low))
        #expect(GzipMember.unpackAll(packed[...], bytesMax: content.count) == content)
        for place in [packed.count / 3, packed.count - 9] {
            var damaged = packed
            damaged[place] ^= 1
            #expect(GzipMember.unpackAll(damaged[...], bytesMax: content.count) == nil, "byte \(place)")
        }
    }
}
