import LedgerAPI
import LedgerCoding
import LedgerEngine
import LedgerHolder
import LedgerModel
import LedgerSystem
import Logging

/// Shows how downloads go: bars on a terminal, plain lines without one, and rows with `--json`.
///
/// It only looks on. When standard output can not be written to any more (its reader left, its disk is full), no more
/// rows are printed and the downloads go on; ``requireOutput()`` tells afterwards.
actor ProgressReporter {
    /// What is printed as JSON.
    enum Rows: Hashable, Sendable {
        case none
        /// Each download when it ends.
        case ends
        /// Every change.
        case changes
    }

    /// The most downloads seen at once that get a line each for that they wait or are paused; more are counted.
    static let standingLinesMax = 100
    /// The most bars at once; the rest is counted in one line.
    static let barsMax = 8

    private let console: Console
    private let rows: Rows
    private let clock: any LedgerClock
    private var board = ProgressBoard()
    private var painter = TerminalPainter()
    private let plain: PlainProgress
    private var lastNews: Duration
    private var lastTotal: String?
    private var outputFailure: Console.Unwritable?
    /// Whether those that were seen last to wait or to be paused are too many for a line each.
    private var isLong = false
    /// Whether it is still to be said how many they are.
    private var isUnsaid = false

    /// A reporter that has nothing to show yet.
    /// - Parameter isChecking: whether files that are there are asked about.
    init(_ console: Console, rows: Rows, clock: any LedgerClock, isChecking: Bool = true) {
        self.console = console
        plain = PlainProgress(isChecking: isChecking)
        self.rows = rows
        self.clock = clock
        lastNews = clock.uptime()
    }

    /// The sum over all downloads seen.
    var total: ProgressTotal { board.total }

    /// How often rows were taken.
    private(set) var looks = 0

    /// Whether rows are wanted and can not be printed any more.
    var hasLostOutput: Bool { outputFailure != nil }

    /// Throws when rows could not be printed, unless it was because nobody wanted to read them any more.
    func requireOutput() throws(Problem) {
        if let outputFailure, !outputFailure.isClosed { throw Problem(outputFailure) }
    }

    /// Counts downloads in that have not begun: their rows come in pages, and the sum is to be right from the first.
    /// Remembers what was known of the files that are asked about.
    func expect(_ rows: [DownloadRow]) {
        var unbegun = Unbegun()
        for row in rows.sorted(by: { $0.id < $1.id }) where row.state == .queued {
            _ = unbegun.append(row.id, row.state)
        }
        board.take(unbegun)
        board.expect(rows)
    }

    /// Counts requests that were refused, of which each row says why.
    func refuse(_ refusals: [JSONValue]) {
        board.refuse(refusals.count)
        if rows != .none, !refusals.isEmpty { print(refusals) }
    }

    /// Takes rows that changed, and shows what is to be seen.
    /// - Parameter unbegun: what is told by its number from now on, in place of what was before; nil where that stays.
    func take(_ changed: [DownloadRow], _ unbegun: Unbegun? = nil) {
        looks += 1
        if let unbegun { board.take(unbegun) }
        let moves = board.take(changed)
        switch rows {
        case .none: break
        case .ends: print(moves.map(\.row).filter(\.state.isEnd))
        case .changes: print(changed)
        }
        var lines = standingLine(moves, isCounted: unbegun.map { $0.count > 0 } ?? false)
        for move in moves where isWorthALine(move) && !isCounted(move.row) {
            guard let text = plain.line(for: move) else { continue }
            lines.append((text: text, level: move.row.state.logLevel))
        }
        if let size = terminal {
            console.writeError(painter.paint(bars(size), above: lines.map(\.text), width: size.columns))
        } else {
            for line in lines { console.say(line.text, line.level) }
            sayTotal(hadNews: !lines.isEmpty)
        }
    }

    /// Removes the bars and says how it ended.
    func finish(saying summary: Bool) {
        let lines = summary && console.loudness != .quiet ? [plain.summary(of: board.total)] : []
        if let size = terminal {
            console.writeError(painter.paint([], above: lines, width: size.columns))
        } else {
            for line in lines { console.say(line) }
        }
    }

    /// Where bars can be shown; nil where there are to be none.
    private var terminal: Terminal.Size? { console.loudness == .quiet ? nil : console.errorTerminal() }

    /// The bars, one line less at least than the terminal has: the cursor stands below them.
    private func bars(_ size: Terminal.Size) -> [String] {
        let line = ProgressLine(width: size.columns, isUnicode: console.isUnicode)
        let running = board.runningRows
        let room = max(0, size.rows - 2)
        let hasRoom = running.count <= min(Self.barsMax, room)
        var lines = running.prefix(hasRoom ? room : min(Self.barsMax, max(0, room - 1))).map { line.line(for: $0) }
        if !hasRoom, room > 0 { lines.append(line.line(forMore: running.count - lines.count)) }
        lines.append(line.line(for: board.total))
        return lines
    }

    private func isWorthALine(_ move: ProgressBoard.Move) -> Bool {
        console.loudness != .quiet || (move.row.state.isEnd && move.row.state != .completed)
            || move.isUnchecked && plain.isChecking
    }

    /// How many downloads only stand in the queue, where there were too many of them at once for a line each; said with
    /// the first look that has not as many.
    private func standingLine(
        _ moves: [ProgressBoard.Move], isCounted: Bool
    ) -> [(text: String, level: Logger.Level)] {
        isLong = isCounted || moves.count { $0.row.state.isStanding } > Self.standingLinesMax
        if isLong { isUnsaid = true }
        guard isUnsaid, !isLong else { return [] }
        isUnsaid = false
        let states = board.total.states
        let standing = (states[.waiting] ?? 0) + (states[.paused] ?? 0)
        guard standing > 0, console.loudness != .quiet else { return [] }
        return [(plain.line(standing: standing), .info)]
    }

    private func isCounted(_ row: DownloadRow) -> Bool { isLong && row.state.isStanding }

    /// Says now and then how all of it goes, while something goes on.
    private func sayTotal(hadNews: Bool) {
        let now = clock.uptime()
        if hadNews { lastNews = now }
        guard now - lastNews >= .seconds(PlainProgress.intervalSeconds) else { return }
        let total = board.total
        let line = plain.line(for: total)
        guard total.ended < total.downloads, line != lastTotal else { return }
        (lastNews, lastTotal) = (now, line)
        console.note(line, .info)
    }

    private func print(_ rows: [DownloadRow]) { print(rows.map(\.json)) }

    private func print(_ rows: [JSONValue]) {
        guard outputFailure == nil else { return }
        do throws(Console.Unwritable) { try console.print(rows.map(\.description)) } catch {
            outputFailure = error
        }
    }
}

extension ProgressReporter {
    /// A reporter for a command, which prints `rows` when it was given `--json`.
    init(_ session: LedgerSession, rows: Rows = .ends, isChecking: Bool = true) {
        self.init(
            session.console, rows: session.isJSON ? rows : .none, clock: session.context.world.clock,
            isChecking: isChecking)
    }
}

extension DownloadState {
    /// Whether it has its turn later, or when somebody says so.
    fileprivate var isStanding: Bool { self == .waiting || self == .paused }

    /// How much it matters, in the log of a service, that a download came to this.
    fileprivate var logLevel: Logger.Level {
        switch self {
        case .failed, .missing, .altered: .warning
        case .queued, .running, .waiting: .info
        case .paused, .completed, .cancelled, .deleted: .notice
        }
    }
}
