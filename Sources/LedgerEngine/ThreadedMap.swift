import LedgerModel
import LedgerSystem

/// Work of the model on threads of its own: somebody waits for it.
package struct ThreadedMap: WorkMap {
    /// How many there are at most; more stand in each other's way at the memory.
    static let threadsMax = 2

    /// No threads yet.
    package init() {}

    package func map<Item: Sendable, Answer: Sendable>(
        _ items: [Item], _ body: @escaping @Sendable (Item) -> Answer
    ) -> [Answer] {
        ParallelWork.map(items, threads: items.count > 1 ? Self.threadsMax : 0, isQuiet: false, body)
    }
}
