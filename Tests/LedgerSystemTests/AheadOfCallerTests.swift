import LedgerSystem
import LedgerTestSupport
import Testing

/// Work in two steps, of which the first is ahead of the second.
@Suite struct AheadOfCallerTests {
    private struct Spoiled: Error, Equatable { let number: Int }

    /// Makes the numbers from 1 up to `count`, and takes them until `wanted` are there, or `bad` is met.
    private func numbers(
        _ count: Int, rooms: Int = 3, wanted: Int = .max, bad: Int? = nil
    ) -> (taken: [Int], made: Int, problem: Spoiled?) {
        var (taken, problem): ([Int], Spoiled?) = ([], nil)
        let made = Locked(0)
        do throws(Spoiled) {
            let rooms = Array(repeating: [Int](), count: rooms)
            try AheadOfCaller.run(from: 0, rooms: rooms) { last, room in
                last += 1
                room = [last]
                made.change { [last] in $0 = last }
                return last < count
            } take: { room throws(Spoiled) in
                if room == [bad] { throw Spoiled(number: room[0]) }
                taken += room
                return taken.count < wanted
            }
        } catch { problem = error }
        return (taken, made.value, problem)
    }

    @Test(arguments: [1, 2, 3, 4, 1000], 1...4)
    func `everything made is taken, in order`(count: Int, rooms: Int) {
        let (taken, made, problem) = numbers(count, rooms: rooms)
        #expect(taken == Array(1...count))
        #expect(made == count)
        #expect(problem == nil)
    }

    @Test(arguments: [1, 2, 5, 999]) func `it ends when no more are wanted`(wanted: Int) {
        let (taken, made, _) = numbers(1000, wanted: wanted)
        #expect(taken == Array(1...wanted))
        // No further ahead than there are rooms.
        #expect(made <= wanted + 3)
    }

    @Test(arguments: [1, 2, 500, 1000]) func `what the caller throws ends it`(bad: Int) {
        let (taken, made, problem) = numbers(1000, bad: bad)
        #expect(taken == Array(1..<bad))
        #expect(problem == Spoiled(number: bad))
        #expect(made <= bad + 3)
    }
}
