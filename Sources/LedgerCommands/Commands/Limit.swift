import ArgumentParser
import LedgerAPI
import LedgerCoding
import LedgerEngine
import LedgerHolder
import LedgerModel
import LedgerSystem
import LedgerViews

/// `ledger limit`.
struct Limit: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show or change how much is done at once, while it is done.",
        usage: "ledger limit [--max-rate <rate>] [-j <n>] [--per-host <n>]",
        discussion: """
            Asks whoever holds the ledger, a 'ledger run' or a 'ledger get'. A rate holds at once; downloads beyond a \
            smaller number go on to their end. Nothing of it is recorded: the next to hold the ledger begins with its \
            own flags and configuration. Without a flag it only shows.

            EXAMPLE
              ledger limit --max-rate 2M
              ledger limit --jobs 16 --per-host 8
              ledger limit --json
            """)

    @Option(
        name: .joined("j"), parsing: .unconditional,
        help: ArgumentHelp("Downloads at once.", valueName: "n"), transform: Int.within(1...PoolOptions.runningMax))
    var jobs: Int?

    @Option(
        parsing: .unconditional, help: ArgumentHelp("Downloads at once from one host.", valueName: "n"),
        transform: Int.within(1...PoolOptions.runningMax))
    var perHost: Int?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The highest rate of all downloads together, such as 10M; 0 for no limit.", valueName: "rate"),
        transform: ByteSize.parse)
    var maxRate: ByteSize?

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let session = try await LedgerSession(global)
        var change = LimitChange()
        change.runningMax = jobs
        change.runningPerHostMax = perHost
        change.bytesPerSecondMax = maxRate?.bytes
        let report = try await session.limit(change)
        try session.console.print(global.json ? [report.json.description] : Self.lines(report))
    }

    /// The limits, for people.
    static func lines(_ report: LimitReport) -> [String] {
        let facts = [
            ("at once", "\(report.runningMax), \(report.running) now"),
            ("one host", "\(report.runningPerHostMax)"),
            ("all together", report.bytesPerSecondMax.map(Figures.rate) ?? "no limit"),
            (
                "queue",
                "\(Figures.count(UInt64(report.queuedDownloadsMax))), \(Figures.count(UInt64(report.queued))) now; "
                    + report.queuePolicy
            ), ("hours", report.window ?? "all"),
        ]
        return facts.map { TextWidth.fitted($0, to: 14) + $1 }
    }
}

extension LedgerSession {
    /// Changes what the holder does at once, and says what it is now.
    /// - Throws: ``Problem/Code/notFound`` when nobody holds the ledger, ``Problem/Code/held`` when who does can not be
    ///   reached.
    func limit(_ change: LimitChange) async throws(Problem) -> LimitReport {
        try await requireLedger()
        let clock = context.world.clock
        let deadline = clock.uptime() + context.patience
        while true {
            let report = try await ifItStays { () throws(Problem) -> LimitReport? in
                guard let remote = try await holder(until: deadline, { false }) else { return nil }
                defer { remote.close() }
                return try await remote.limit(change)
            }
            if let report { return report }
            guard try await isHeld() else {
                throw Problem(
                    .notFound, "nobody holds the ledger now, so there is nothing to limit",
                    next: "give the limits to whoever does: 'ledger run --max-rate 2M --jobs 8'")
            }
            // Whoever has just come serves no socket yet, and whoever leaves serves none any more.
            guard clock.uptime() < deadline else { throw .unreachable(home) }
            try await wait()
        }
    }
}
