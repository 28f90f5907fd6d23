import LedgerSystem
import LedgerTestSupport
import Testing

/// Work in two steps, of which the first is ahead of the second.
@Suite struct AheadOfCallerTests {
    private struct Spoiled: Error, Equatable { let number: Int }

    /// Takes the numbers from 0 up to `count` as they are made, until `wanted` are there or `bad` is met.
    private func numbers(
        _ count: Int, rooms: Int = 3, wanted: Int = .max, spoiledAt bad: Int? = nil
    ) -> (taken: [Int], problem: Spoiled?) {
        var taken: [Int] = []
        do throws(Spoiled) {
            let rooms = Array(repeating: [Int](), count: rooms)
            try AheadOfCaller.run(from: 0, rooms: rooms) { next, room throws(Spoiled) in
                if next == bad { throw Spoiled(number: next) }
                guard next < count else { return false }
                room = [next]
                next += 1
                return true
            } take: { room throws(Spoiled) in
                taken += room
                return taken.count < wanted
            }
        } catch { return (taken, error) }
        return (taken, nil)
    }

    @Test(arguments: [0, 1, 2, 3, 4, 1000], 1...4)
    func `everything made is taken, in order`(count: Int, rooms: Int) {
        let (taken, problem) = numbers(count, rooms: rooms)
        #expect(taken == Array(0..<count))
        #expect(problem == nil)
    }

    @Test(arguments: [1, 2, 5, 999]) func `it ends when no more are wanted`(wanted: Int) {
        #expect(numbers(1000, wanted: wanted).taken == Array(0..<wanted))
    }

    @Test(arguments: [0, 1, 2, 500]) func `what was made before a failure is taken before it is thrown`(bad: Int) {
        let (taken, problem) = numbers(1000, spoiledAt: bad)
        #expect(taken == Array(0..<bad))
        #expect(problem == Spoiled(number: bad))
    }

    @Test func `what the caller throws ends it, and no thread is left at work`() throws {
        let making = Locked(0)
        #expect(throws: Spoiled(number: 7)) {
            try AheadOfCaller.run(from: 0, rooms: [0, 0]) { next, room throws(Spoiled) in
                making.change { $0 += 1 }
                (room, next) = (next, next + 1)
                return true
            } take: { room throws(Spoiled) in
                if room == 7 { throw Spoiled(number: 7) }
                return true
            }
        }
        // Two rooms: it is never further ahead, and makes nothing once the call has returned.
        #expect((8...10).contains(making.value))
    }
}
