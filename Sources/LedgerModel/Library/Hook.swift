/// Someone who is told of events, from an outbox whose cursor stands in the log.
package struct Hook: Hashable, Sendable {
    /// What tells it from every other: a hash of its program or URL, and of the events it is told of.
    package let name: String
    /// What it is, in words without secrets.
    package var details: String
    /// The last event that it was told of, or that was no concern of it; it is told of what comes behind.
    package var cursor: SequenceNumber

    /// How many hooks a ledger remembers; one more takes the place of the one that is furthest behind.
    package static let hooksMax = 100
    /// How many events a compaction leaves for a hook that was not told of them yet.
    package static let heldEventsMax: UInt64 = 1_000_000

    /// A hook with every field given.
    package init(name: String, details: String, cursor: SequenceNumber) {
        self.name = name
        self.details = details
        self.cursor = cursor
    }

    /// Whether one was told of less than another; of equals the one whose name is lower.
    static func isFurtherBehind(_ one: Hook, _ other: Hook) -> Bool {
        (one.cursor, one.name) < (other.cursor, other.name)
    }
}
