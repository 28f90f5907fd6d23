/// One piece of work that blocks, on a thread of its own, beside what its caller does meanwhile.
package final class BesideCaller<Answer: Sendable>: Sendable {
    private struct State: Sendable {
        var answer: Answer?
        var isDone = false
    }

    private let monitor = Monitor(State())

    /// Begins with the work.
    /// - Throws: `EAGAIN` when there is no thread for it.
    package init(_ work: @escaping @Sendable () -> Answer) throws(FileError) {
        let monitor = monitor
        try SystemThread.start("ledger-beside") {
            var answer: Answer? = work()
            // Moved, for with a second reference to it the caller would have to copy what it changes.
            monitor.change(wakingAll: true) { $0 = State(answer: answer.take(), isDone: true) }
        }
    }

    /// Blocks until the work is done, and hands over the answer: nothing of it stays here. Nil when it was taken
    /// before.
    package func take() -> Answer? {
        monitor.wait { state in
            guard state.isDone else { return nil }
            return .some(state.answer.take())
        }
    }
}
