import AsyncHTTPClient
import LedgerModel
import NIOCore
import Synchronization

/// Ends a fetch when nothing, or next to nothing, arrived for too long, and says in which part of the answer. Silence
/// that was asked for, by a rate limit or while the caller thinks, does not count.
final class SilenceWatch: Sendable {
    /// What an origin must send over the longest silence allowed, in bytes a second; one that drips less is left.
    static let lowSpeedBytesPerSecondMin = 16

    /// What is waited for.
    enum Phase: Sendable {
        case answer
        case body
    }

    private let longest: TimeAmount
    private let host: String
    private let state = Mutex(State())

    private struct State {
        var phase = Phase.answer
        /// When something last arrived.
        var since = NIODeadline.now()
        /// When counting ``bytes`` began; the speed is judged over the longest silence.
        var counting = NIODeadline.now()
        var bytes = 0
        var isHeld = false
        var isOver = false
        var timer: Scheduled<Void>?

        mutating func begin(_ phase: Phase) {
            isHeld = false
            self.phase = phase
            (since, counting, bytes) = (.now(), .now(), 0)
        }
    }

    /// A watch that allows `longest` without a byte.
    init(longest: TimeAmount, host: String) {
        self.longest = longest
        self.host = host
    }

    /// The request is sent: the answer is waited for from now on.
    func start(on task: HTTPClient.Task<Void>) {
        state.withLock { $0.begin(.answer) }
        schedule(in: longest, on: task)
    }

    /// Bytes arrived.
    func note(_ count: Int) {
        state.withLock { state in
            state.since = .now()
            state.bytes += count
        }
    }

    /// Silence is asked for from now on.
    func hold() { state.withLock { $0.isHeld = true } }

    /// Bytes may arrive again.
    func resume(_ phase: Phase) { state.withLock { $0.begin(phase) } }

    /// The fetch is over.
    func stop() {
        let timer = state.withLock { state in
            state.isOver = true
            defer { state.timer = nil }
            return state.timer
        }
        timer?.cancel()
    }

    private func schedule(in delay: TimeAmount, on task: HTTPClient.Task<Void>) {
        let timer = task.eventLoop.scheduleTask(in: delay) { self.check(task) }
        let isOver = state.withLock { state in
            if !state.isOver { state.timer = timer }
            return state.isOver
        }
        if isOver { timer.cancel() }
    }

    private func check(_ task: HTTPClient.Task<Void>) {
        switch state.withLock({ judge(&$0, at: .now()) }) {
        case .success(let left): schedule(in: left, on: task)
        case .failure(let failure): task.fail(reason: failure)
        }
    }

    /// How long it may go on without another look, or why not.
    private func judge(_ state: inout State, at now: NIODeadline) -> Result<TimeAmount, Failure> {
        if state.isHeld || state.isOver { return .success(longest) }
        let seconds = Double(longest.nanoseconds) / 1e9
        let words = seconds == seconds.rounded() ? "\(Int(seconds)) s" : "\(seconds) s"
        guard now - state.since < longest else {
            let what = state.phase == .answer ? "no answer from '\(host)' within" : "no byte from '\(host)' for"
            return .failure(Failure(.silence, "\(what) \(words)", isRetryable: true))
        }
        if state.phase == .body, now - state.counting >= longest {
            guard state.bytes >= Int(seconds * Double(Self.lowSpeedBytesPerSecondMin)) else {
                return .failure(
                    Failure(
                        .lowSpeed, "only \(state.bytes) bytes from '\(host)' in \(words): the origin is too slow",
                        isRetryable: true))
            }
            (state.counting, state.bytes) = (now, 0)
        }
        let isCounting = state.phase == .body
        return .success(longest - (now - (isCounting ? min(state.since, state.counting) : state.since)))
    }
}
