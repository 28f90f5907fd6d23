import AsyncHTTPClient
import LedgerModel
import NIOCore
import Synchronization

/// Ends a fetch when nothing arrived for too long, and says in which part of the answer. Silence that was asked for, by
/// a rate limit or while the caller thinks, does not count.
final class SilenceWatch: Sendable {
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
        var since = NIODeadline.now()
        var isHeld = false
        var isOver = false
        var timer: Scheduled<Void>?
    }

    init(longest: TimeAmount, host: String) {
        self.longest = longest
        self.host = host
    }

    /// The request is sent: the answer is waited for from now on.
    func start(on task: HTTPClient.Task<Void>) {
        state.withLock { $0.since = .now() }
        schedule(in: longest, on: task)
    }

    /// Something arrived.
    func note() { state.withLock { $0.since = .now() } }

    /// Silence is asked for from now on.
    func hold() { state.withLock { $0.isHeld = true } }

    /// Bytes may arrive again.
    func resume(_ phase: Phase) {
        state.withLock { state in
            state.isHeld = false
            state.phase = phase
            state.since = .now()
        }
    }

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
        let now = NIODeadline.now()
        let (phase, left) = state.withLock { state -> (Phase, TimeAmount) in
            if state.isHeld || state.isOver { return (state.phase, longest) }
            return (state.phase, longest - (now - state.since))
        }
        guard left <= .nanoseconds(0) else { return schedule(in: left, on: task) }
        let seconds = Double(longest.nanoseconds) / 1e9
        let words = seconds == seconds.rounded() ? "\(Int(seconds)) s" : "\(seconds) s"
        switch phase {
        case .answer:
            task.fail(reason: Failure(.silence, "no answer from '\(host)' within \(words)", isRetryable: true))
        case .body:
            task.fail(reason: Failure(.silence, "no byte from '\(host)' for \(words)", isRetryable: true))
        }
    }
}
