import Synchronization

/// Ctrl-C and SIGTERM: the first asks the command to stop in order, the second ends the process at once.
final class Interruption: Sendable {
    private let requested = Mutex(false)
    private let task = Mutex<Task<Void, Never>?>(nil)

    /// Begins to listen. `onFirst` runs beside the command when the first signal comes.
    init(_ context: CommandContext, onFirst: @escaping @Sendable () async -> Void) {
        let signals = context.interrupts()
        let listening = Task {
            for await _ in signals {
                let isFirst = self.requested.withLock { requested in
                    defer { requested = true }
                    return !requested
                }
                if isFirst { Task { await onFirst() } } else { context.leave(1) }
            }
        }
        task.withLock { $0 = listening }
    }

    /// Whether the command is to stop.
    var isRequested: Bool { requested.withLock { $0 } }

    /// Listens no more.
    func end() { task.withLock { $0.take() }?.cancel() }
}
