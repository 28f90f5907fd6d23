import LedgerAPI
import Synchronization

/// What clients have sent that is not done with, all together: many with long bodies would take all memory.
final class BodyBudget: Sendable {
    private let bytesMax: Int
    private let taken = Atomic(0)

    /// So many bytes.
    init(bytesMax: Int) { self.bytesMax = bytesMax }

    /// What one client holds of it; given back when nobody has the share any more.
    final class Share: Sendable {
        private let budget: BodyBudget
        private let held = Atomic(0)

        /// Nothing as yet.
        init(of budget: BodyBudget) { self.budget = budget }

        /// Counts bytes that came; false, and nothing is counted, when they are too many.
        func take(_ count: Int) -> Bool {
            guard budget.taken.add(count, ordering: .relaxed).newValue <= budget.bytesMax else {
                budget.taken.subtract(count, ordering: .relaxed)
                return false
            }
            held.add(count, ordering: .relaxed)
            return true
        }

        /// Counts bytes no longer that were counted.
        func give(back count: Int) {
            held.subtract(count, ordering: .relaxed)
            budget.taken.subtract(count, ordering: .relaxed)
        }

        deinit { budget.taken.subtract(held.load(ordering: .relaxed), ordering: .relaxed) }
    }
}
