/// Work in two steps, of which the first runs on a thread of its own, a little ahead of the second.
package enum AheadOfCaller {
    private struct State<Item: Sendable, Problem: Error>: Sendable {
        var empty: [Item]
        var full = FirstInFirstOut<Item>()
        /// Why nothing more is made; nil while there is more to come.
        var end: Result<Void, Problem>?
        /// Whether nobody takes any more.
        var isLeft = false
        var isRunning = false

        /// A room to make the next item in; within that, nil when none is wanted any more. Nil where it must wait.
        var nextRoom: Item?? {
            mutating get { isLeft ? .some(nil) : empty.popLast().map(Optional.some) }
        }

        /// The next item to take; within that, nil when there is no more. Nil where it must wait.
        var nextItem: Item?? {
            mutating get { full.popFirst().map(Optional.some) ?? end.map { _ in nil } }
        }
    }

    /// Makes items in the rooms that `rooms` are, each used again once it was taken, and takes them in the order they
    /// were made. Blocks until the last is taken, or one of the two gives up; no thread is left behind.
    ///
    /// The first is made on the caller's own thread: where that is all, there is no other.
    /// - Parameters:
    ///   - make: makes the next item; false when there is none.
    ///   - take: takes an item; false when no more are wanted.
    /// - Throws: what `take` throws; what `make` throws, once everything it made was taken.
    package static func run<Source: Sendable, Item: Sendable, Problem: Error>(
        from source: Source, rooms: [Item],
        make: @escaping @Sendable (inout Source, inout Item) throws(Problem) -> Bool,
        take: (Item) throws(Problem) -> Bool
    ) throws(Problem) {
        var (source, rooms) = (source, rooms)
        guard var room = rooms.popLast() else { preconditionFailure("there is no room for an item") }
        while true {
            guard try make(&source, &room), try take(room) else { return }
            let monitor = Monitor(State<Item, Problem>(empty: rooms + [room], isRunning: true))
            do throws(FileError) {
                try SystemThread.start("ledger-ahead") { [source] in fill(monitor, from: source, make) }
            } catch {
                // Without a thread, one step after the other.
                continue
            }
            return try drain(monitor, take)
        }
    }

    private static func fill<Source, Item, Problem>(
        _ monitor: Monitor<State<Item, Problem>>, from source: Source,
        _ make: (inout Source, inout Item) throws(Problem) -> Bool
    ) {
        var source = source
        var end = Result<Void, Problem>.success(())
        while var room = monitor.wait(for: { $0.nextRoom }) {
            do throws(Problem) {
                guard try make(&source, &room) else { break }
            } catch {
                end = .failure(error)
                break
            }
            monitor.change { $0.full.append(room) }
        }
        monitor.change { state in
            state.end = end
            state.isRunning = false
        }
    }

    private static func drain<Item, Problem>(
        _ monitor: Monitor<State<Item, Problem>>, _ take: (Item) throws(Problem) -> Bool
    ) throws(Problem) {
        defer {
            monitor.change { $0.isLeft = true }
            monitor.wait { $0.isRunning ? nil : () }
        }
        while true {
            var item = monitor.wait { $0.nextItem }
            guard item != nil else { break }
            guard try take(item!) else { return }
            // Moved, for with a second reference to it the other thread would have to copy what it writes over.
            monitor.change { $0.empty.append(item.take()!) }
        }
        try monitor.withLock { $0.end }?.get()
    }
}
