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
        /// So much of what one client sends is a short message, in bytes.
        static let smallBytesMax = 64 << 10

        private let budget: BodyBudget
        private let held = Atomic(0)
        private let isTrusted: Atomic<Bool>

        /// Nothing as yet.
        /// - Parameter isTrusted: whether the client has shown that it may ask. Others get half of the budget together,
        ///   and for the first ``smallBytesMax`` of each three quarters, so that they keep out nobody who has shown it,
        ///   and a few of them no short message: the token of some clients stands in there.
        init(of budget: BodyBudget, isTrusted: Bool = false) {
            self.budget = budget
            self.isTrusted = Atomic(isTrusted)
        }

        /// Notes that the client has shown that it may ask.
        func trust() { isTrusted.store(true, ordering: .relaxed) }

        /// Counts bytes that came; false, and nothing is counted, when they are too many.
        func take(_ count: Int) -> Bool {
            let isSmall = held.load(ordering: .relaxed) + count <= Self.smallBytesMax
            let untrustedMax = isSmall ? budget.bytesMax / 4 * 3 : budget.bytesMax / 2
            let bytesMax = isTrusted.load(ordering: .relaxed) ? budget.bytesMax : untrustedMax
            guard budget.taken.add(count, ordering: .relaxed).newValue <= bytesMax else {
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
