import LedgerSystem
import Synchronization
import Testing

@Suite struct ParallelWorkTests {
    @Test(arguments: [0, 1, 3, 100]) func `all is done once, and the answers stand in order`(threads: Int) {
        let count = Mutex(0)
        let answers = ParallelWork.map(Array(0..<50), threads: threads) { number in
            count.withLock { $0 += 1 }
            return number * number
        }
        #expect(answers == (0..<50).map { $0 * $0 })
        #expect(count.withLock { $0 } == 50)
        #expect(ParallelWork.map([Int](), threads: threads) { $0 } == [])
    }
}
