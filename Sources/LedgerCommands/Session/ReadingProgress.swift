import LedgerEngine
import LedgerModel
import LedgerSystem
import LedgerViews
import Synchronization

/// Says on standard error how far a long log has been read, and how long the rest takes; nothing in the first second.
final class ReadingProgress: Sendable {
    /// How long nothing is said.
    static let silence = Duration.seconds(1)
    /// How often a line is written where it can not be replaced.
    static let interval = Duration.seconds(15)

    private let console: Console
    private let clock: any LedgerClock
    private let began: Duration
    private let first: SequenceNumber
    private let last: SequenceNumber
    private let state = Mutex(State())

    private struct State {
        var bytes: UInt64 = 0
        var lastLine: Duration?
        var isShown = false
    }

    /// Progress from the event after `first` to `last`.
    init(_ session: LedgerSession, after first: SequenceNumber, through last: SequenceNumber) {
        console = session.console
        clock = session.context.world.clock
        began = clock.uptime()
        self.first = first
        self.last = last
    }

    /// Takes note of what was read: up to this event, so many bytes more.
    func take(_ sequence: SequenceNumber, bytes: Int) {
        let now = clock.uptime()
        let text = state.withLock { state -> String? in
            state.bytes += UInt64(max(0, bytes))
            guard console.loudness != .quiet, now - began >= Self.silence else { return nil }
            let isReplaced = console.errorTerminal() != nil
            let pause = isReplaced ? Self.silence : Self.interval
            guard now - (state.lastLine ?? began) >= (state.lastLine == nil ? Self.silence : pause) else { return nil }
            (state.lastLine, state.isShown) = (now, isReplaced)
            let words = self.words(sequence, state.bytes, now - began)
            return isReplaced ? "\r\(words)\u{1B}[K" : words + "\n"
        }
        if let text { console.writeError(text) }
    }

    /// Removes the line, if there is one that can be removed.
    func finish() {
        let isShown = state.withLock { state in
            defer { state.isShown = false }
            return state.isShown
        }
        if isShown { console.writeError("\r\u{1B}[K") }
    }

    /// `34 % read: 4 208 311 of 12 408 000 events, 120.0 MiB, 0:12 left`.
    private func words(_ sequence: SequenceNumber, _ bytes: UInt64, _ time: Duration) -> String {
        let all = last.rawValue - min(last.rawValue, first.rawValue)
        let done = min(all, sequence.rawValue - min(sequence.rawValue, first.rawValue))
        let left = done == 0 ? 0 : time / .seconds(1) * Double(all - done) / Double(done)
        return "\(Figures.percent(done, of: all) ?? 0) % read: \(Figures.count(done)) of \(Figures.count(all)) events, "
            + "\(Figures.size(bytes)), \(Figures.time(seconds: UInt64(left.rounded(.up)))) left"
    }
}
