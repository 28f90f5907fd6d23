import LedgerModel
import LedgerTestSupport
import Testing

/// Sets of bytes, against a bitmap.
struct ByteRangeSetTests {
    @Test(arguments: [UInt64(1), 2, 3]) func `random ranges agree with a bitmap`(_ seed: UInt64) {
        var random = SplitMix64(seed: seed)
        for round in 0..<60 {
            var (set, other) = (ByteRangeSet(), ByteRangeSet())
            var (bits, otherBits) = (Set<UInt64>(), Set<UInt64>())
            for _ in 0..<Int.random(in: 0..<12, using: &random) {
                let (range, second) = (Self.range(&random), Self.range(&random))
                set.insert(range)
                bits.formUnion(range)
                other.insert(second)
                otherBits.formUnion(second)
            }
            check(set, bits, "seed \(seed), round \(round)")
            let probe = Self.range(&random)
            #expect(set.contains(probe) == bits.isSuperset(of: probe))
            #expect(ByteRangeSet(set.ranges.shuffled(using: &random)) == set)
            set.formUnion(other)
            check(set, bits.union(otherBits), "union at seed \(seed), round \(round)")
        }
    }

    private static func range(_ random: inout SplitMix64) -> Range<UInt64> {
        let start = UInt64.random(in: 0..<50, using: &random)
        return start..<(start + UInt64.random(in: 0..<9, using: &random))
    }

    private func check(_ set: ByteRangeSet, _ bits: Set<UInt64>, _ note: Comment) {
        #expect(Set(set.ranges.flatMap(Array.init)) == bits, note)
        #expect(zip(set.ranges, set.ranges.dropFirst()).allSatisfy { $0.upperBound < $1.lowerBound }, note)
        #expect(set.ranges.allSatisfy { !$0.isEmpty } && set.isEmpty == bits.isEmpty, note)
        #expect(set.count == UInt64(bits.count), note)
        #expect(set.upperBound == bits.max().map { $0 + 1 } ?? 0, note)
        #expect(set.prefixCount == (0...).first { !bits.contains($0) }, note)
        for length in [UInt64(0), 20, 70] {
            let missing = Set(0..<length).subtracting(bits)
            #expect(Set(set.gaps(upTo: length).flatMap(Array.init)) == missing, note)
        }
    }

    @Test func `the longest range there is`() {
        let all = ByteRangeSet(0..<UInt64.max)
        #expect(all.count == .max && all.prefixCount == .max)
        #expect(all.gaps(upTo: .max).isEmpty)
        #expect(ByteRangeSet(5..<5).isEmpty)
    }
}

/// Sums and ranges stand in the value itself when there is one: however they were made, equal ones are equal.
struct FewTests {
    @Test(arguments: 0...4)
    func `a list of any length is what it was made of`(count: Int) {
        let sums = (0..<count).map { UInt32($0) }
        let ranges = (0..<UInt64(count)).map { $0 * 10..<$0 * 10 + 5 }
        let (summed, set) = (RangeSums(sums), ByteRangeSet(normalized: ranges))
        #expect(summed.values == sums && summed.count == count && summed.isEmpty == (count == 0))
        #expect(set.ranges == ranges && set.rangeCount == count && set == ByteRangeSet(ranges.reversed()))
        #expect(set.count == UInt64(count) * 5 && set.isEmpty == (count == 0))
    }

    @Test func `what is made of one is what is made of a list of one`() {
        #expect(RangeSums(7) == RangeSums([7]) && RangeSums(7) == [7] && RangeSums(7) != [8])
        #expect(ByteRangeSet(1..<2) == ByteRangeSet(normalized: [1..<2]))
        #expect(ByteRangeSet(1..<1) == ByteRangeSet(normalized: []) && [] == RangeSums([]))
    }
}
