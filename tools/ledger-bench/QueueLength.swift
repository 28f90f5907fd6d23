import ArgumentParser
import LedgerAPI
import LedgerEngine
import LedgerModel
import LedgerSystem

/// `ledger-bench length`: what a long queue costs.
struct QueueLength: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "length",
        abstract: "Measure what a download in the queue takes, and what a long queue costs whoever works with it.",
        discussion: """
            A queue of so many downloads is made, with URLs of 80 bytes at 100 hosts, and looked at: the memory of \
            one download, all told; what is to run next; one more that is enqueued, in memory and durably; the last \
            page of 100 rows, in the order in which they run and by id. Times are medians.

            EXAMPLE
              ledger-bench length --home /var/tmp/fresh --downloads 1000000
            """)

    private static let rounds = 201
    private static let pageRows = 100
    /// How many are enqueued at once while the ledger is made.
    private static let partCount = 10_000

    @Option(help: ArgumentHelp("The directory of a new ledger.", valueName: "dir"))
    var home: String

    @Option(help: ArgumentHelp("How many are queued.", valueName: "n"))
    var downloads = 100_000

    func validate() throws {
        guard (Self.pageRows...10_000_000).contains(downloads) else {
            throw ValidationError("'--downloads' is from \(Self.pageRows) to 10000000.")
        }
    }

    func run() async throws {
        let home = LedgerHome(try Place.absolute(home))
        let durable = try await durableEnqueue(in: home)
        let before = try CurrentProcess.residentBytes()
        var state = LedgerState()
        for number in 0..<downloads { try QueuedOrder.enqueue(number, into: &state) }
        let bytes = Double(try CurrentProcess.residentBytes()) - Double(before)
        let now = Timestamp(milliseconds: 0)
        let plan = time { _ = state.queue.plan(running: [], limits: Limits(), at: now) }
        let page = time {
            let rows = state.queue.livePage(skipping: [], from: downloads - Self.pageRows, count: Self.pageRows)
            _ = rows.map { DownloadRow($0) }
        }
        var query = ListQuery()
        query.limit = Self.pageRows
        let start = DownloadID(UInt64(downloads - Self.pageRows))
        let byID = time {
            let found = query.select(from: state.queue.downloads, after: start) { ShownDownload($0) }
            _ = found.map { DownloadRow($0) }
        }
        var number = downloads
        let memory = try time {
            try QueuedOrder.enqueue(number, into: &state)
            number += 1
        }
        try FigureLine.write([
            ("bytesPerDownload", bytes / Double(downloads)), ("planMicroseconds", plan),
            ("enqueueMicroseconds", memory), ("durableEnqueueMicroseconds", durable), ("pageMicroseconds", page),
            ("pageByNumberMicroseconds", byID),
        ])
    }

    /// The median of what one more takes in a ledger on disk.
    private func durableEnqueue(in home: LedgerHome) async throws -> Double {
        let ledger = try await Ledger.open(home, world: .system())
        guard ledger.lastSequence == .zero else { throw LogMaker.Trouble.notEmpty(ledger.lastSequence) }
        for start in stride(from: 0, to: downloads, by: Self.partCount) {
            let part = start..<min(downloads, start + Self.partCount)
            let outcomes = try await ledger.execute(part.map(submission))
            guard outcomes.count == part.count else { throw NotAppended() }
        }
        var times: [Duration] = []
        for number in downloads..<downloads + Self.rounds {
            let begin = ContinuousClock.now
            _ = try await ledger.execute([submission(number)])
            times.append(ContinuousClock.now - begin)
        }
        await ledger.close()
        return times.median / .microseconds(1)
    }

    private func submission(_ number: Int) -> Submission {
        Submission(QueuedOrder.command(number), id: nil, actor: .cli)
    }

    /// The median of what something takes, in microseconds.
    private func time(_ body: () throws -> Void) rethrows -> Double {
        var times: [Duration] = []
        for _ in 0..<Self.rounds {
            let begin = ContinuousClock.now
            try body()
            times.append(ContinuousClock.now - begin)
        }
        return times.median / .microseconds(1)
    }
}
