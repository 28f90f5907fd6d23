import LedgerLog
import LedgerModel
import Testing

/// Which snapshots are kept for looks into the past.
@Suite struct MilestoneTests {
    private func chosen(_ sequences: [UInt64], every step: UInt64, atMost count: Int) -> [UInt64] {
        Milestones(stepEvents: step, countMax: count).chosen(from: sequences.map { SequenceNumber($0) })
            .map(\.rawValue)
    }

    @Test func `they stand a step apart, and what lies between them goes`() {
        #expect(chosen([90, 110, 190, 215, 320, 330], every: 100, atMost: 8) == [110, 215, 320])
        #expect(chosen([], every: 100, atMost: 8) == [])
        #expect(chosen([99], every: 100, atMost: 8) == [])
    }

    @Test func `when there are too many, every other one goes, and never all`() {
        let hundred = (1...100).map { UInt64($0) * 10 }
        for count in 1...20 {
            let kept = chosen(hundred, every: 10, atMost: count)
            #expect(!kept.isEmpty && kept.count <= count)
            #expect(zip(kept, kept.dropFirst()).allSatisfy { $1 - $0 <= 2 * 1_000 / UInt64(count) })
        }
        #expect(chosen(hundred, every: 10, atMost: 0) == [])
        #expect(chosen([.max - 1], every: 0, atMost: 1) == [.max - 1])
    }
}
