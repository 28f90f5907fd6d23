import LedgerModel
import LedgerSystem
import LedgerTestSupport
import LedgerTransfer
import Testing

/// Sums of ranges that grow and meet.
@Suite struct SummedRangesTests {
    static let bytes = OriginEntity.pattern(4000)

    private func sum(_ range: Range<UInt64>) -> UInt32 {
        CRC32C.checksum(Array(Self.bytes[Int(range.lowerBound)..<Int(range.upperBound)]).span)
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `whatever the order in which pieces come, the sums are those of the bytes`(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        var cuts = Set((0..<30).map { _ in UInt64.random(in: 1..<4000, using: &generator) }).sorted()
        cuts = [0] + cuts + [4000]
        var ranges = SummedRanges()
        for piece in zip(cuts, cuts.dropFirst()).map({ $0..<$1 }).shuffled(using: &generator) {
            ranges.insert(piece, sum: sum(piece))
            #expect(ranges.sums.values == ranges.ranges.ranges.map(sum))
        }
        #expect(ranges == SummedRanges(ByteRangeSet(0..<4000), sums: [sum(0..<4000)]))
        #expect(ranges.prefixCount == 4000 && ranges.prefixSum == sum(0..<4000))
    }

    @Test func `what begins beyond the start has no prefix`() {
        var ranges = SummedRanges()
        #expect(ranges.prefixCount == 0 && ranges.prefixSum == nil)
        ranges.insert(10..<20, sum: sum(10..<20))
        ranges.insert(30..<30, sum: 7)
        #expect(ranges.prefixCount == 0 && ranges.prefixSum == nil)
        #expect(ranges.sums == [sum(10..<20)])
    }

    @Test func `a sum that is not known makes none known, and so do bytes that were written twice or taken out`() {
        var ranges = SummedRanges(ByteRangeSet([0..<10, 20..<30]), sums: [1])
        #expect(ranges.sums.isEmpty)
        ranges = SummedRanges(ByteRangeSet(0..<10), sums: [sum(0..<10)])
        ranges.insert(5..<15, sum: sum(5..<15))
        #expect(ranges.ranges == ByteRangeSet(0..<15) && ranges.prefixSum == nil)
        ranges = SummedRanges(ByteRangeSet([0..<10, 20..<30]), sums: [sum(0..<10), sum(20..<30)])
        ranges.subtract(22..<25)
        #expect(ranges.ranges == ByteRangeSet([0..<10, 20..<22, 25..<30]) && ranges.sums.isEmpty)
        #expect(ranges.prefixSum == sum(0..<10))
        ranges.insert(10..<20, sum: sum(10..<20))
        #expect(ranges.ranges == ByteRangeSet([0..<22, 25..<30]) && ranges.prefixSum == nil)
    }
}
