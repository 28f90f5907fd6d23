import LedgerAPI
import LedgerHolder
import LedgerModel
import LedgerSystem
import LedgerTestSupport
import Synchronization
import SystemPackage
import Testing

@testable import LedgerCommands

/// The same download at its end.
private func ended(_ row: DownloadRow, _ state: DownloadState) -> DownloadRow {
    var row = row
    (row.state, row.rate, row.resumedFrom) = (state, nil, nil)
    if state == .completed { row.received = row.size ?? 0 }
    return row
}

struct ProgressBoardTests {
    @Test func `sums follow the rows and tell what changed its state`() {
        var board = ProgressBoard()
        #expect(board.take([runningRow(1, received: 10, size: 100, rate: 5, from: 2)]).count == 1)
        #expect(board.take([runningRow(1, received: 20, size: 100, rate: 7, from: 2)]).isEmpty)
        var total = board.total
        #expect(total.received == 20 && total.size == 100 && total.rate == 7 && total.resumed == 2)
        #expect(total.secondsLeft == 12)
        let done = ended(runningRow(1, received: 100, size: 100), .completed)
        let failed = ended(runningRow(2, received: 0, size: nil), .failed)
        #expect(board.take([done, failed]).map(\.row) == [done, failed])
        total = board.total
        #expect(total.downloads == 2 && total.ended == 2 && total.failed == 1 && total.rate == 0)
        #expect(board.runningRows.isEmpty)
    }

    @Test func `downloads that end at once are counted one by one`() {
        var board = ProgressBoard()
        let rows = (1...3).map { runningRow($0, received: 5, size: 10) }
        #expect(board.take(rows).map(\.total.downloads) == [3, 3, 3])
        let ends = board.take([ended(rows[0], .completed), ended(rows[1], .cancelled), ended(rows[2], .completed)])
        #expect(ends.map(\.total.ended) == [1, 2, 3])
        #expect(board.total.completed == 2 && board.total.failed == 0)
    }

    @Test func `what is told by its number is counted until it has a row, and once`() {
        var (board, unbegun) = (ProgressBoard(), Unbegun())
        func states() -> [DownloadState: Int] { board.total.states.filter { $0.value > 0 } }
        for id in 1...4 as ClosedRange<UInt64> { _ = unbegun.append(DownloadID(id), .queued) }
        board.take(unbegun)
        #expect(board.total.downloads == 4 && states() == [.queued: 4] && board.total.size == nil)
        let begun = board.take([runningRow(2, received: 5, size: 10)])
        #expect(begun.map(\.total.downloads) == [4] && states() == [.queued: 3, .running: 1])
        #expect(board.total.received == 5 && board.total.size == 40)
        // Told anew, without the one that has a row, and with one more.
        unbegun.remove(DownloadID(2))
        _ = unbegun.append(DownloadID(9), .paused)
        board.take(unbegun)
        #expect(board.total.downloads == 5 && states() == [.queued: 3, .running: 1, .paused: 1])
        _ = board.take([ended(runningRow(2, received: 10, size: 10), .completed)])
        #expect(board.total.completed == 1 && board.total.ended == 1 && board.total.received == 10)
    }

    @Test func `a size that is not known yet counts as the mean, and what ended without its file as received`() {
        var board = ProgressBoard()
        _ = board.take([runningRow(1, received: 7, size: nil)])
        #expect(board.total.size == nil && board.total.received == 7 && board.total.secondsLeft == nil)
        _ = board.take([runningRow(2, received: 100, size: 100, rate: 10), runningRow(3, received: 3, size: 300)])
        #expect(board.total.size == 600 && board.total.received == 110 && board.total.secondsLeft == 49)
        _ = board.take([ended(runningRow(3, received: 3, size: 300), .failed)])
        #expect(board.total.size == 203 && board.total.received == 110)
        _ = board.take([ended(runningRow(1, received: 7, size: 7), .completed)])
        #expect(board.total.size == 110 && board.total.received == 110)
        // An origin may state any length.
        for id in UInt64(10)...11 { _ = board.take([runningRow(id, received: 1, size: 1 << 62, rate: 3)]) }
        for id in UInt64(20)...40 { _ = board.take([runningRow(id, received: 1, size: nil)]) }
        #expect(board.total.size == .max && board.total.secondsLeft ?? 0 > 1 << 59)
    }
}

struct PlainProgressTests {
    @Test func `a line says how a download ended`() {
        var total = ProgressTotal()
        total.downloads = 4
        total.states = [.completed: 1, .failed: 1]
        var row = runningRow(7, received: 2048, size: 2048)
        let plain = PlainProgress()
        func line(isUnchecked: Bool = false) -> String? {
            plain.line(for: ProgressBoard.Move(row: row, total: total, isUnchecked: isUnchecked))
        }
        #expect(line() == nil)
        row.state = .completed
        #expect(line() == "[2/4] /data/debian-12.iso (2.0 KiB)")
        #expect(
            line(isUnchecked: true)
                == "[2/4] /data/debian-12.iso stays as it was: asking for a newer one was cancelled")
        row.state = .failed
        row.error = .init(code: "status", message: "the origin answered 404", retryable: false)
        #expect(line() == "[2/4] download 7 failed: the origin answered 404")
        row.state = .waiting
        row.retryAt = Timestamp(rfc3339: "2026-03-02T10:11:12Z")
        #expect(
            line() == "download 7 is tried again at 2026-03-02 10:11:12 UTC: the origin answered 404")
    }

    @Test func `the summary tells the ends apart, and where to look only where there is something to see`() {
        var total = ProgressTotal()
        total.downloads = 6
        total.states = [.completed: 1, .failed: 2, .missing: 1]
        #expect(
            PlainProgress().summary(of: total)
                == "1 of 6 downloads completed, 2 failed, 1 missing; 'ledger list --state failed,missing' shows why")
        total.states = [.cancelled: 1, .deleted: 1, .paused: 2, .running: 0]
        #expect(PlainProgress().summary(of: total) == "0 of 6 downloads completed, 2 paused, 1 cancelled, 1 deleted")
    }
}

struct TerminalPainterTests {
    @Test func `the block is painted over and lines above it stay`() {
        var painter = TerminalPainter()
        #expect(painter.paint(["a", "b"], width: 80) == "\ra\u{1B}[K\n\rb\u{1B}[K\n\u{1B}[J")
        #expect(
            painter.paint(["c"], above: ["done"], width: 80)
                == "\u{1B}[2A\rdone\u{1B}[K\n\rc\u{1B}[K\n\u{1B}[J")
        #expect(painter.paint([], width: 80) == "\u{1B}[1A\u{1B}[J")
    }

    @Test func `a terminal that became narrower has wrapped the block`() {
        var painter = TerminalPainter()
        _ = painter.paint([String(repeating: "x", count: 79), "short"], width: 80)
        #expect(painter.paint([], width: 40) == "\u{1B}[3A\u{1B}[J")
    }
}

/// What a reporter says, with a clock that only a test moves.
struct ProgressReporterTests {
    private let said = Said()
    private let clock = ManualClock(.epoch)

    /// The lines of both streams.
    private final class Said: Sendable {
        let output = Mutex("")
        let errors = Mutex("")

        var lines: [Substring] { errors.withLock { $0 }.split(separator: "\n") }
    }

    private func reporter(
        _ rows: ProgressReporter.Rows = .none, terminal: Terminal.Size? = nil, output problem: Errno? = nil
    ) -> ProgressReporter {
        let said = said
        let console = Console(
            writeOutput: { text throws(Console.Unwritable) in
                if let problem { throw Console.Unwritable(cause: FileError("write", "standard output", problem)) }
                said.output.withLock { $0 += text }
            },
            writeError: { text in said.errors.withLock { $0 += text } }, outputColumns: nil,
            errorTerminal: { terminal }, isUnicode: false)
        return ProgressReporter(console, rows: rows, clock: clock)
    }

    @Test func `what was asked for is counted in before its row comes, and once`() async {
        let reporter = reporter()
        let rows = (1...3).map { number in
            var row = runningRow(UInt64(number), received: 0, size: 100)
            row.state = .queued
            return row
        }
        await reporter.expect(rows.reversed())
        await reporter.take([ended(rows[0], .completed)])
        #expect(said.lines == ["[1/3] /data/debian-12.iso (100 B)"])
        await reporter.take(Array(rows[1...]))
        await reporter.take([ended(rows[2], .completed)])
        #expect(said.lines.last == "[2/3] /data/debian-12.iso (100 B)")
    }

    @Test func `without a terminal the sum is said now and then, and not again while nothing changes`() async {
        let reporter = reporter()
        await reporter.take([runningRow(1, received: 10, size: 100)])
        #expect(said.lines == [])
        clock.advance(by: .seconds(16))
        await reporter.take([])
        #expect(said.lines == ["0 of 1 download ended, 10 B received, 0 B/s"])
        for _ in 1...3 {
            clock.advance(by: .seconds(16))
            await reporter.take([])
        }
        #expect(said.lines.count == 1)
        await reporter.take([runningRow(1, received: 20, size: 100)])
        #expect(said.lines.count == 2)
        await reporter.take([ended(runningRow(1, received: 20, size: 100), .completed)])
        clock.advance(by: .seconds(16))
        await reporter.take([])
        #expect(said.lines.last == "[1/1] /data/debian-12.iso (100 B)")
    }

    @Test func `many that only wait are counted, and said once`() async {
        let reporter = reporter()
        func paused(_ ids: ClosedRange<UInt64>) -> [DownloadRow] {
            ids.map { ended(runningRow($0, received: 0, size: 9), .paused) }
        }
        await reporter.take(paused(1...1000))
        await reporter.take(paused(1001...1500))
        #expect(said.lines == [])
        await reporter.take(paused(1501...1502))
        #expect(said.lines.first == "1502 downloads wait or are paused; 'ledger list' names them")
        #expect(said.lines.dropFirst().allSatisfy { $0.contains(" is paused; ") } && said.lines.count == 3)
        await reporter.take([])
        #expect(said.lines.count == 3)
    }

    @Test(arguments: [2, 3, 5, 24]) func `the bars are fewer than the terminal has lines`(rows: Int) async {
        let reporter = reporter(terminal: Terminal.Size(columns: 20, rows: rows))
        await reporter.take((1...50).map { runningRow($0, received: 10, size: 100) })
        #expect(said.lines.count - 1 < rows)
        #expect(said.lines.contains { $0.contains("and \(50 - max(0, min(8, rows - 3))) more") } == (rows > 2))
    }

    @Test(arguments: [(Errno.brokenPipe, true), (.noSpace, false)])
    func `rows that can not be printed cost no download, and only a closed pipe is no error`(
        errno: Errno, isFine: Bool
    ) async {
        let reporter = reporter(.ends, output: errno)
        let rows = [runningRow(1, received: 0, size: 9), runningRow(2, received: 0, size: 9)]
        await reporter.take(rows)
        await reporter.take([ended(rows[0], .completed)])
        #expect(await reporter.hasLostOutput)
        await reporter.take([ended(rows[1], .completed)])
        #expect(await reporter.total.completed == 2)
        do throws(Problem) {
            try await reporter.requireOutput()
            #expect(isFine)
        } catch {
            #expect(!isFine && error.exitCode == .disk)
            #expect(error.message == "standard output can not be written to")
        }
    }
}
