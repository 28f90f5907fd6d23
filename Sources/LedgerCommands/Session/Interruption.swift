import LedgerSystem
import Synchronization

/// Ctrl-C, SIGTERM and a terminal that went away: the first asks the command to stop in order, the second ends the
/// process at once.
final class Interruption: Sendable {
    private let requested = Mutex(false)
    private let task = Mutex<Task<Void, Never>?>(nil)
    private let onFirst: @Sendable () async -> Void

    /// Begins to listen. `onFirst` runs beside the command when the first signal comes.
    /// - Parameter signals: which of them ask for the end.
    init(
        _ context: CommandContext, _ signals: Set<Signal> = [.interrupt, .terminate, .hangUp],
        onFirst: @escaping @Sendable () async -> Void
    ) {
        self.onFirst = onFirst
        let signals = context.signals(signals)
        let listening = Task {
            for await _ in signals {
                if self.isFirst() { Task { await onFirst() } } else { context.leave(1) }
            }
        }
        task.withLock { $0 = listening }
    }

    /// Asks the command to stop in order, as the first signal does.
    func request() {
        if isFirst() { Task { await onFirst() } }
    }

    private func isFirst() -> Bool {
        requested.withLock { requested in
            defer { requested = true }
            return !requested
        }
    }

    /// Whether the command is to stop.
    var isRequested: Bool { requested.withLock { $0 } }

    /// Listens no more.
    func end() { task.withLock { $0.take() }?.cancel() }
}
