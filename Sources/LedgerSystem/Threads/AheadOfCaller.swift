/// Work in two steps, of which the first runs on a thread of its own, a little ahead of the second.
package enum AheadOfCaller {
    private struct State<Item: Sendable>: Sendable {
        var empty: [Item]
        var full = FirstInFirstOut<Item>()
        /// Whether the thread is at work: more is to come.
        var isMaking = true
        /// Whether nobody takes any more.
        var isLeft = false

        /// A room to make the next item in; within that, nil when none is wanted any more. Nil where it must wait.
        var nextRoom: Item?? {
            mutating get { isLeft ? .some(nil) : empty.popLast().map(Optional.some) }
        }

        /// The next item to take; within that, nil when there is no more. Nil where it must wait.
        var nextItem: Item?? {
            mutating get { full.popFirst().map(Optional.some) ?? (isMaking ? nil : .some(nil)) }
        }
    }

    /// Makes items in the rooms that `rooms` are, each used again once it was taken, and takes them in the order they
    /// were made. Blocks until the last is taken, or no more are wanted; no thread is left behind.
    ///
    /// The first is made on the caller's own thread: where it is the last, there is no other.
    /// - Parameters:
    ///   - make: makes the next item; false when it is the last.
    ///   - take: takes an item; false when no more are wanted.
    /// - Throws: what `take` throws.
    package static func run<Source: Sendable, Item: Sendable, Problem: Error>(
        from source: Source, rooms: [Item],
        make: @escaping @Sendable (inout Source, inout Item) -> Bool,
        take: (Item) throws(Problem) -> Bool
    ) throws(Problem) {
        var (source, rooms) = (source, rooms)
        guard var room = rooms.popLast() else { preconditionFailure("there is no room for an item") }
        while true {
            let isLast = !make(&source, &room)
            guard try take(room), !isLast else { return }
            let monitor = Monitor(State(empty: rooms + [room]))
            do throws(FileError) {
                try SystemThread.start("ledger-ahead") { [source] in fill(monitor, from: source, make) }
            } catch {
                // Without a thread, one step after the other.
                continue
            }
            return try drain(monitor, take)
        }
    }

    private static func fill<Source, Item>(
        _ monitor: Monitor<State<Item>>, from source: Source, _ make: (inout Source, inout Item) -> Bool
    ) {
        var (source, isLast) = (source, false)
        while !isLast, var room = monitor.wait(for: { $0.nextRoom }) {
            isLast = !make(&source, &room)
            monitor.change { $0.full.append(room) }
        }
        monitor.change { $0.isMaking = false }
    }

    private static func drain<Item, Problem>(
        _ monitor: Monitor<State<Item>>, _ take: (Item) throws(Problem) -> Bool
    ) throws(Problem) {
        defer {
            monitor.change { $0.isLeft = true }
            monitor.wait { $0.isMaking ? nil : () }
        }
        while true {
            var item = monitor.wait { $0.nextItem }
            guard item != nil else { return }
            guard try take(item!) else { return }
            // Moved, for with a second reference to it the other thread would have to copy what it writes over.
            monitor.change { $0.empty.append(item.take()!) }
        }
    }
}
