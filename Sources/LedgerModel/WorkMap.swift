/// How items of work are done that do not depend on each other. The model knows no threads; who has some brings them.
package protocol WorkMap: Sendable {
    /// The answers for all items, in their order, once the last one is there.
    func map<Item: Sendable, Answer: Sendable>(
        _ items: [Item], _ body: @escaping @Sendable (Item) -> Answer
    ) -> [Answer]
}

/// One after the other, on the caller's own thread.
package struct SerialMap: WorkMap {
    /// The only one there is.
    package init() {}

    package func map<Item: Sendable, Answer: Sendable>(
        _ items: [Item], _ body: @escaping @Sendable (Item) -> Answer
    ) -> [Answer] { items.map(body) }
}
