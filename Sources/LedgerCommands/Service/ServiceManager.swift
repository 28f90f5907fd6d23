import LedgerSystem
import Synchronization

/// The service manager that started this process, if one did and wants to hear of it: told how the service does, as
/// sd_notify(3) has it. Where there is none, nothing is said to nobody.
final class ServiceManager: Sendable {
    /// How a service does: some words, or nil when it does not answer.
    typealias Look = @Sendable () async -> String?

    /// How often the words are renewed where no watchdog asks for more.
    static let period = Duration.seconds(30)

    private struct State {
        var look: Look?
        var beat: Task<Void, Never>?
        var isStopping = false
    }

    private let socket: NotifySocket?
    private let watchdog: Duration?
    private let clock: any LedgerClock
    private let console: Console
    private let state = Mutex(State())

    /// The manager that the environment names: `NOTIFY_SOCKET`, and with `WATCHDOG_USEC` how soon it wants a sign of
    /// life, unless that is asked of another process (`WATCHDOG_PID`).
    init(_ environment: [String: String], _ clock: any LedgerClock, _ console: Console) {
        socket = environment["NOTIFY_SOCKET"].flatMap(NotifySocket.init)
        let isOurs = environment["WATCHDOG_PID"].map { $0 == String(CurrentProcess.id) } ?? true
        let microseconds = environment["WATCHDOG_USEC"].flatMap { Int64($0) } ?? 0
        watchdog = isOurs && microseconds > 0 ? .microseconds(microseconds) : nil
        self.clock = clock
        self.console = console
    }

    /// The service does what it is for, or stands by to do it. From now on its state is told now and then, and the
    /// watchdog fed as long as `look` has an answer.
    func ready(_ look: @escaping Look) async {
        guard socket != nil else { return }
        let words = await look()
        let isFirst = state.withLock { state in
            defer { state.look = look }
            return state.look == nil
        }
        send((isFirst ? ["READY=1"] : []) + ["STATUS=\(Self.line(words ?? Self.silent))"])
        guard isFirst else { return }
        let beat = Task { await self.beat() }
        state.withLock { $0.beat = beat }
    }

    /// The configuration is read anew; ``reloaded(_:)`` ends that.
    func reloading() {
        send(["RELOADING=1", "MONOTONIC_USEC=\(NotifySocket.monotonicMicroseconds)"])
    }

    /// The configuration was read, or stays as it was.
    func reloaded(_ words: String) { send(["READY=1", "STATUS=\(Self.line(words))"]) }

    /// The service leaves, and lets nobody wait for long.
    func stopping() {
        state.withLock { $0.isStopping = true }
        send(["STOPPING=1", "STATUS=stopping; what was received is recorded"])
    }

    /// Says nothing more.
    func end() { state.withLock { $0.beat.take() }?.cancel() }

    private static let silent = "the ledger does not answer"

    private func beat() async {
        // Twice within the watchdog's time, as sd_watchdog_enabled(3) advises.
        let pause = min(Self.period, watchdog.map { $0 / 2 } ?? Self.period)
        while true {
            do { try await clock.sleep(until: clock.uptime() + pause) } catch { return }
            guard let look = state.withLock({ $0.look }) else { return }
            let words = await look()
            if state.withLock({ $0.isStopping }) || Task.isCancelled { return }
            let sign = watchdog != nil && words != nil ? ["WATCHDOG=1"] : []
            send(sign + ["STATUS=\(Self.line(words ?? Self.silent))"])
        }
    }

    /// A datagram is of lines: words are in one.
    private static func line(_ words: String) -> String { String(words.map { $0.isNewline ? " " : $0 }.prefix(500)) }

    private func send(_ lines: [String]) {
        guard let socket else { return }
        do throws(FileError) { try socket.send(lines) } catch {
            console.detail("the service manager can not be told: \(error.description)")
        }
    }
}
