import LedgerAPI
import LedgerCoding
import LedgerEngine
import LedgerModel
import LedgerSystem

/// Shows how downloads go: bars on a terminal, plain lines without one, a row for each end with `--json`.
actor ProgressReporter {
    /// The most bars at once; the rest is counted in one line.
    static let barsMax = 8

    private let console: Console
    private let isJSON: Bool
    private let uptime: @Sendable () -> Duration
    private var board = ProgressBoard()
    private var painter = TerminalPainter()
    private let plain = PlainProgress()
    private var lastLine: Duration
    private var isOutputClosed = false

    /// A reporter that has nothing to show yet.
    init(_ session: LedgerSession) {
        console = session.console
        isJSON = session.isJSON
        let clock = session.context.world.clock
        uptime = { clock.uptime() }
        lastLine = clock.uptime()
    }

    /// The sum over all downloads seen.
    var total: ProgressTotal { board.total }

    /// Takes rows that changed, and shows what is to be seen.
    func take(_ rows: [DownloadRow]) {
        let moved = board.take(rows)
        if isJSON { printEnds(moved) }
        let total = board.total
        let lines = moved.filter(isWorthALine).compactMap { plain.line(for: $0, total: total) }
        if console.loudness != .quiet, let width = console.errorColumns() {
            console.writeError(painter.paint(bars(width: width), above: lines))
        } else {
            for line in lines { console.writeError(line + "\n") }
            printTotal(hadNews: !lines.isEmpty)
        }
    }

    /// Removes the bars and says how it ended.
    func finish(saying summary: Bool) {
        let lines = summary && console.loudness != .quiet ? [plain.summary(of: board.total)] : []
        if console.loudness != .quiet, console.errorColumns() != nil {
            console.writeError(painter.paint([], above: lines))
        } else {
            for line in lines { console.writeError(line + "\n") }
        }
    }

    private func bars(width: Int) -> [String] {
        let line = ProgressLine(width: width, isUnicode: console.isUnicode)
        let running = board.runningRows
        var lines = running.prefix(Self.barsMax).map { line.line(for: $0) }
        if running.count > Self.barsMax { lines.append("and \(running.count - Self.barsMax) more") }
        lines.append(line.line(for: board.total))
        return lines
    }

    private func isWorthALine(_ row: DownloadRow) -> Bool {
        console.loudness != .quiet || (row.state.isEnd && row.state != .completed)
    }

    private func printTotal(hadNews: Bool) {
        let now = uptime()
        if hadNews { lastLine = now }
        guard console.loudness != .quiet, now - lastLine >= .seconds(PlainProgress.intervalSeconds) else { return }
        lastLine = now
        console.note(plain.line(for: board.total))
    }

    private func printEnds(_ rows: [DownloadRow]) {
        guard !isOutputClosed else { return }
        do throws(Console.Closed) {
            try console.print(rows.filter(\.state.isEnd).map(\.json.description))
        } catch {
            // Nobody reads the rows any more; the downloads go on.
            isOutputClosed = true
        }
    }
}
