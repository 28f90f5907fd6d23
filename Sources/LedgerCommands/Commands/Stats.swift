import ArgumentParser
import LedgerAPI
import LedgerCoding
import LedgerEngine
import LedgerHolder
import LedgerModel
import LedgerViews

/// `ledger stats`: figures.
struct Stats: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show figures by group, host and day.",
        usage: "ledger stats [<options>]",
        discussion: """
            Downloads by state, bytes, failed attempts by reason, retries; the average rate of the completed files, \
            each from the origin's first answer to its final name, pauses included; success is the share of completed \
            downloads among those that were completed or given up. Days are in UTC, and tell what was asked for, \
            completed and failed on them. Reads the log, beside whoever holds it.

            EXAMPLE
              ledger stats
              ledger stats --by host,state --json
              ledger stats --at 2026-03-02       # as it was then
            """)

    @Option(help: ArgumentHelp("What downloads are put together by (default: group,host,day).", valueName: "what,..."))
    var by: [CommaList<StatsReport.Dimension>] = []

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("As it was after this event, or at this time.", valueName: "seq|time"),
        transform: LogPoint.parse)
    var at: LogPoint?

    @OptionGroup var archive: ArchiveOptions
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let session = try await LedgerSession(global, archive)
        let state = try await session.state(at: at)
        let (home, world) = (session.home, session.context.world)
        let tally = try await session.blocking { () throws(LedgerError) in
            try AttemptTally(home: home, world: world, through: state.sequence)
        }
        let report = StatsReport(
            state, .init(byDownload: tally.byDownload, byDay: tally.byDay),
            by: by.isEmpty ? [.group, .host, .day] : by.flatMap(\.elements))
        let view = StatsView(report, reasonsAfter: tally.base)
        try session.console.printLast(
            global.json ? view.json.map(\.description) : view.lines(width: session.console.outputColumns))
    }
}
