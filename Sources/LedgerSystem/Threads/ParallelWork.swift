import CLedgerSystem

/// Work that blocks and can be split, on a few threads of its own.
package enum ParallelWork {
    private struct State<Answer: Sendable>: Sendable {
        var next = 0
        var answers: [Answer?]
        var threadsRunning = 0
    }

    /// The answers for all items, in their order. Blocks until the last one is there.
    ///
    /// - Parameters:
    ///   - threads: how many threads there are at most; with 0, or when none can be started, the caller's own thread
    ///     does all.
    ///   - isQuiet: whether they let everything else go first, at the processor and at the disk.
    package static func map<Item: Sendable, Answer: Sendable>(
        _ items: [Item], threads: Int, isQuiet: Bool = true, _ body: @escaping @Sendable (Item) -> Answer
    ) -> [Answer] {
        let monitor = Monitor(State<Answer>(answers: Array(repeating: nil, count: items.count)))
        let work: @Sendable () -> Void = {
            while let place = take(monitor, items.count) {
                let answer = body(items[place])
                monitor.withLock { $0.answers[place] = answer }
            }
        }
        for _ in 0..<min(threads, items.count) {
            monitor.withLock { $0.threadsRunning += 1 }
            do throws(FileError) {
                try SystemThread.start(isQuiet ? "ledger-quiet" : "ledger-part") {
                    if isQuiet { ledger_lower_thread() }
                    work()
                    monitor.change { $0.threadsRunning -= 1 }
                }
            } catch {
                monitor.withLock { $0.threadsRunning -= 1 }
            }
        }
        if monitor.withLock({ $0.threadsRunning == 0 }) { work() }
        return monitor.wait { state in
            guard state.threadsRunning == 0 else { return nil }
            return state.answers.compactMap { $0 }
        }
    }

    private static func take(_ monitor: Monitor<State<some Sendable>>, _ count: Int) -> Int? {
        monitor.withLock { state in
            guard state.next < count else { return nil }
            defer { state.next += 1 }
            return state.next
        }
    }
}
