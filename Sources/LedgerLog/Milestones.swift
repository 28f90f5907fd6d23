package import LedgerModel

/// Which snapshots are kept for looks into the past: a few, far apart, whatever the log grows to.
package struct Milestones: Hashable, Sendable {
    /// How many events lie between two of them at least.
    package let stepEvents: UInt64
    /// How many there are at most.
    package let countMax: Int

    /// Milestones every `stepEvents` events, or, when that makes more than `countMax`, every two, four, eight times as
    /// many.
    package init(stepEvents: UInt64, countMax: Int) {
        self.stepEvents = stepEvents
        self.countMax = countMax
    }

    /// Those of some snapshots, in ascending order, that are kept.
    package func chosen(from sequences: [SequenceNumber]) -> [SequenceNumber] {
        guard countMax > 0 else { return [] }
        var step = max(stepEvents, 1)
        while true {
            var chosen: [SequenceNumber] = []
            for sequence in sequences where sequence.rawValue - (chosen.last ?? .zero).rawValue >= step {
                chosen.append(sequence)
            }
            if chosen.count <= countMax { return chosen }
            // Two of them at most are further apart than half of all numbers.
            step = step > .max / 2 ? .max : step * 2
        }
    }
}
