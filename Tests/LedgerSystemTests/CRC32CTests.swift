import CLedgerSystem
import LedgerSystem
import LedgerTestSupport
import Testing

/// CRC-32C by the instruction and by the tables.
@Suite struct CRC32CTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let bytes: [UInt8]
        let sum: UInt32
        let location: SourceLocation

        init(_ bytes: [UInt8], _ sum: UInt32, location: SourceLocation = #_sourceLocation) {
            self.bytes = bytes
            self.sum = sum
            self.location = location
        }

        var testDescription: String { String(sum, radix: 16) }
    }

    /// The check value of the catalogue, and the vectors of RFC 3720 appendix B.4.
    static let rows = [
        Row([], 0),
        Row(Array("123456789".utf8), 0xE306_9283),
        Row([UInt8](repeating: 0, count: 32), 0x8A91_36AA),
        Row([UInt8](repeating: 0xFF, count: 32), 0x62A8_AB43),
        Row(Array(0..<32), 0x46DD_794E),
        Row(Array((0..<32).reversed()), 0x113F_DB5C),
        Row(
            [0x01, 0xC0] + [UInt8](repeating: 0, count: 14)
                + [0x14, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0x14, 0, 0, 0, 0x18, 0x28]
                + [UInt8](repeating: 0, count: 7) + [2] + [UInt8](repeating: 0, count: 7), 0xD996_3A56),
    ]

    @Test(arguments: rows)
    func `the published sums come out`(row: Row) {
        #expect(ledger_crc32c(0, row.bytes, row.bytes.count) == row.sum, sourceLocation: row.location)
        #expect(ledger_crc32c_portable(0, row.bytes, row.bytes.count) == row.sum, sourceLocation: row.location)
    }

    @Test func `the instruction and the tables agree, whatever the length`() {
        var generator = SplitMix64(seed: 3)
        let bytes = (0..<100_000).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
        // Around where parts are folded or summed beside each other, and far from it.
        let edges = [256, 1024, 1280, 12_288, 24_576, 36_864, 86_016].flatMap { [$0 - 1, $0, $0 + 1] }
        for count in edges + (0..<200).map({ _ in Int.random(in: 0...bytes.count, using: &generator) }) {
            let seed = UInt32(truncatingIfNeeded: generator.next())
            #expect(ledger_crc32c(seed, bytes, count) == ledger_crc32c_portable(seed, bytes, count), "\(count)")
        }
    }

    @Test(arguments: [0, 1, 7, 300, 70_000])
    func `the sum of a whole is found from those of its parts`(count: Int) {
        var generator = SplitMix64(seed: 2)
        let bytes = (0..<count).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
        for cut in Set([0, 1, count / 3, count - 1, count]) where (0...count).contains(cut) {
            let parts = (CRC32C.checksum(Array(bytes[..<cut]).span), CRC32C.checksum(Array(bytes[cut...]).span))
            let whole = CRC32C.combined(parts.0, parts.1, secondBytes: UInt64(count - cut))
            #expect(whole == CRC32C.checksum(bytes.span))
        }
    }

    @Test func `parts may be as long as files can be`() {
        // 2^40 zeros, sum by sum.
        var (zeros, bytes) = (CRC32C.checksum([0].span), UInt64(1))
        while bytes < 1 << 40 { (zeros, bytes) = (CRC32C.combined(zeros, zeros, secondBytes: bytes), bytes * 2) }
        // The same in one step more, from the other end.
        let rest = CRC32C.combined(zeros, zeros, secondBytes: 1 << 40)
        let one = CRC32C.checksum([0].span)
        #expect(
            CRC32C.combined(rest, one, secondBytes: 1) == CRC32C.combined(one, rest, secondBytes: 1 << 41))
    }

    @Test func `instruction and tables agree at every length and alignment, and calls chain`() {
        var generator = SplitMix64(seed: 1)
        let bytes = (0..<300).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
        for start in 0..<9 {
            for count in 0...(300 - start) {
                bytes.withUnsafeBytes { buffer in
                    let base = buffer.baseAddress! + start
                    let whole = ledger_crc32c(7, base, count)
                    #expect(whole == ledger_crc32c_portable(7, base, count))
                    let half = count / 3
                    #expect(whole == ledger_crc32c(ledger_crc32c(7, base, half), base + half, count - half))
                }
            }
        }
    }
}
