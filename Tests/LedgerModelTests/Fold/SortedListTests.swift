import LedgerTestSupport
import Testing

@testable import LedgerModel

/// The list that the queue's order is kept in, held against a sorted array.
struct SortedListTests {
    /// Whether a list holds these elements, in order, from each side, by each place.
    private func expect(_ list: SortedList<Int>, is wanted: [Int], _ note: Comment) {
        #expect(list.count == wanted.count && Array(list) == wanted && list.reversed() == wanted.reversed(), note)
        #expect(list.first == wanted.first && list.isEmpty == wanted.isEmpty, note)
    }

    @Test(arguments: [1, 2, 3, 4, 5, 6] as [UInt64])
    func `it holds what was put in and not taken out, each once and in order`(seed: UInt64) {
        var chance = SplitMix64(seed: seed)
        // Few values are put in again and again, many make chunks that are split and joined.
        let range = seed % 2 == 0 ? 0...300 : 0...100_000
        var (list, wanted) = (SortedList<Int>(), Set<Int>())
        var copies: [(list: SortedList<Int>, wanted: [Int])] = []
        for step in 0..<12_000 {
            // It grows, shrinks, and grows again, now at its end alone.
            let grows = step < 4000 || step >= 8000
            if Int.random(in: 0..<10, using: &chance) < (grows ? 8 : 2) {
                let isAtEnd = step >= 10_000
                let value = isAtEnd ? (wanted.max() ?? 0) + 1 : Int.random(in: range, using: &chance)
                list.insert(value)
                wanted.insert(value)
            } else {
                let value = wanted.randomElement(using: &chance) ?? 0
                let gone = Bool.random(using: &chance) ? value : Int.random(in: range, using: &chance)
                list.remove(gone)
                wanted.remove(gone)
            }
            if step % 1000 == 0 {
                expect(list, is: wanted.sorted(), "step \(step)")
                copies.append((list, wanted.sorted()))
            }
        }
        for value in wanted.sorted() {
            list.remove(value)
            wanted.remove(value)
        }
        expect(list, is: [], "emptied from its front")
        for copy in copies { expect(copy.list, is: copy.wanted, "a copy stays as it was") }
    }

    @Test(arguments: [0, 1, 255, 256, 257, 512, 5000])
    func `every place is found by what stands there and by its number`(count: Int) {
        let wanted = (0..<count).map { 2 * $0 }
        let list = SortedList(ascending: wanted)
        expect(list, is: wanted, "\(count)")
        for value in -1...2 * count {
            let (notBefore, after) = (list.firstIndex(notBefore: value), list.firstIndex(after: value))
            let smaller = min(max(0, (value + 1) / 2), count)
            #expect(list.count(before: notBefore) == smaller)
            #expect(list.index(at: smaller) == notBefore)
            let isThere = value >= 0 && value % 2 == 0 && value < 2 * count
            #expect(list.count(before: after) == smaller + (isThere ? 1 : 0))
            #expect(Array(list[notBefore..<after]) == (isThere ? [value] : []))
        }
        #expect(list.index(at: count) == list.endIndex && list.index(at: count + 1) == list.endIndex)
    }

    @Test func `what is taken out here and there leaves no crowd of short chunks`() {
        var list = SortedList(ascending: Array(0..<100_000))
        for value in 0..<100_000 where value % 100 != 0 { list.remove(value) }
        expect(list, is: Array(stride(from: 0, to: 100_000, by: 100)), "one of a hundred")
        #expect(list.chunkCount <= 2 * 1000 / (SortedList<Int>.chunkMax / 2) + 1)
    }
}
