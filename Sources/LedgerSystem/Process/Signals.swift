import CLedgerSystem
import Synchronization
import SystemPackage

/// The signals that ask this process to end, as a stream instead of a death.
package enum Signals {
    private struct State: Sendable {
        var isCatching = false
        var listeners: [AsyncStream<Signal>.Continuation] = []
    }

    private static let state = Mutex(State())

    /// From the first call on, `SIGINT`, `SIGTERM` and `SIGHUP` no longer end the process; each that arrives is an
    /// element of every stream. `SIGTERM` and `SIGHUP` stay ignored where the process was started so (`nohup`), and
    /// `SIGINT` does not: a script's shell ignores it for whatever it starts in the background, asked or not.
    ///
    /// Handlers write to a pipe (signal-safe), a thread reads it: no mask needs to be set before other threads start.
    /// - Throws: `FileError` when there is no descriptor or thread left.
    package static func caught() throws(FileError) -> AsyncStream<Signal> {
        let (stream, continuation) = AsyncStream.makeStream(of: Signal.self)
        try state.withLock { state throws(FileError) in
            if !state.isCatching { try catchThem() }
            state.isCatching = true
            state.listeners.append(continuation)
        }
        return stream
    }

    /// Makes a write that can not be an error instead of a death: to a closed pipe or socket `EPIPE` (`SIGPIPE`),
    /// beyond the longest file that a process may write `EFBIG` (`SIGXFSZ`, setrlimit(2)).
    package static func ignoreFailedWrites() { ledger_signals_ignore_failures() }

    /// Lets what ends a program reach it, though whoever started it blocked that for its own threads and this inherited
    /// it (as of a library whose threads block signals): else nothing but `SIGKILL` could end it. For the first thread
    /// of a program, before there is another; `pthread_sigmask(3)`.
    package static func unblock() { ledger_signals_unblock() }

    private static func catchThem() throws(FileError) {
        let number = try systemCall("pipe", "signals") { ledger_signals_pipe() }
        // The thread first: a signal that was caught with nobody to pass it on could not end the process any more.
        try SystemThread.start("ledger-signals") { forward(number) }
        try systemCall("sigaction", "signals") { ledger_signals_catch() }
    }

    private static func forward(_ number: CInt) {
        while true {
            let value = ledger_signals_next(number)
            if value < 0 { return }
            guard let signal = Signal.allCases.first(where: { $0.number == value }) else { continue }
            for listener in state.withLock({ $0.listeners }) { listener.yield(signal) }
        }
    }
}
