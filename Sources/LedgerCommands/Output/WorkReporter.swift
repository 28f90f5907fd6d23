import LedgerAPI
import LedgerEngine
import LedgerLog
import LedgerModel
import LedgerSystem
import LedgerViews

/// Says on standard error how far long work has come: a line that changes on a terminal, one now and then elsewhere.
struct WorkReporter: Sendable {
    /// Where it is said.
    let console: Console
    /// Time, for the rate.
    let clock: any LedgerClock
    /// What is done, as a word that ends in "-ing".
    let verb: String

    /// Work that takes less is not worth a word.
    static let patience = Duration.seconds(1)
    /// How long between two looks.
    static let pause = Duration.milliseconds(500)
    /// How long between two lines where there is no terminal.
    static let interval = Duration.seconds(PlainProgress.intervalSeconds)

    /// Looks on until the task is cancelled.
    func run(_ progress: WorkProgress) async {
        let start = clock.uptime()
        var (painter, said, isPainted) = (TerminalPainter(), start, false)
        while true {
            do { try await clock.sleep(until: clock.uptime() + Self.pause) } catch { break }
            let now = clock.uptime()
            // Work that another process does is not seen from here.
            guard now - start >= Self.patience, progress.bytes.total > 0, console.loudness != .quiet else { continue }
            let line = self.line(progress.bytes, after: now - start)
            if let size = console.errorTerminal() {
                let text = painter.paint([String(line.prefix(max(0, size.columns - 1)))], width: size.columns)
                console.writeError(text)
                isPainted = true
            } else if said == start || now - said >= Self.interval {
                console.note(line)
                said = now
            }
        }
        if isPainted, let size = console.errorTerminal() { console.writeError(painter.paint([], width: size.columns)) }
    }

    /// `verifying: 1.2 GiB of 4.0 GiB (30 %), 0:12 left`.
    func line(_ bytes: (done: UInt64, total: UInt64), after time: Duration) -> String {
        let total = max(bytes.done, bytes.total)
        var line = "\(verb): \(Figures.size(bytes.done)) of \(Figures.size(total))"
        if let percent = Figures.percent(bytes.done, of: total) { line += " (\(percent) %)" }
        let seconds = Double(time.components.seconds) + Double(time.components.attoseconds) * 1e-18
        if bytes.done > 0 {
            let left = seconds * Double(total - bytes.done) / Double(bytes.done)
            line += ", \(Figures.time(seconds: UInt64(left.rounded(.up)))) left"
        }
        return line
    }
}

extension LedgerSession {
    /// Does what blocks for long, and says how far it is.
    func atLength<Answer: Sendable>(
        _ verb: String, _ body: @escaping @Sendable (WorkProgress) throws(LedgerError) -> Answer
    ) async throws(Problem) -> Answer {
        try await showing(verb) { progress throws(Problem) in
            try await blocking { () throws(LedgerError) in try body(progress) }
        }
    }

    /// Does what takes long, and says how far it is.
    func showing<Answer: Sendable>(
        _ verb: String, _ body: (WorkProgress) async throws(Problem) -> Answer
    ) async throws(Problem) -> Answer {
        let progress = WorkProgress()
        let reporter = WorkReporter(console: console, clock: context.world.clock, verb: verb)
        let reporting = Task { await reporter.run(progress) }
        do throws(Problem) {
            let answer = try await body(progress)
            reporting.cancel()
            await reporting.value
            return answer
        } catch {
            reporting.cancel()
            await reporting.value
            throw error
        }
    }
}
