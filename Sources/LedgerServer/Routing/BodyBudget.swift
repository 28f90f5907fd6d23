import HTTPTypes
import LedgerAPI
import Synchronization

/// What the bodies that are still coming hold together: many slow clients with long ones would take all memory.
final class BodyBudget: Sendable {
    /// How much that may be, in bytes.
    static let bytesMax = 128 << 20

    private let taken = Atomic(0)

    /// Counts bytes that came.
    /// - Throws: a ``Refusal`` 503 beyond ``bytesMax``; nothing is counted then.
    func take(_ count: Int) throws(Refusal) {
        guard taken.add(count, ordering: .relaxed).newValue > Self.bytesMax else { return }
        give(back: count)
        throw Refusal(
            .serviceUnavailable,
            Problem(.refused, "too much is being sent at once", next: "send it again in a moment"),
            fields: [.retryAfter: "5", .connection: "close"])
    }

    /// Counts bytes no longer: their request is whole, or was given up.
    func give(back count: Int) { taken.subtract(count, ordering: .relaxed) }
}
