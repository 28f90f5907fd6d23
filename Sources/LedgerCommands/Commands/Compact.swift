import ArgumentParser
import LedgerAPI
import LedgerCoding
import LedgerModel

/// `ledger compact`.
struct Compact: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make the log smaller.",
        usage: "ledger compact [<options>]",
        discussion: """
            A snapshot takes the place of old segments, which go to the archive. Queue, catalog and digest stay the \
            same, and 'ledger verify' still reproduces every root. Works while downloads run.

            EXAMPLE
              ledger compact --dry-run
              ledger compact --drop --keep-events 0    # live state only, no archive
            """)

    @Flag(help: "Say what would be done, and do nothing.")
    var dryRun = false

    @Flag(help: "Remove old segments instead of moving them to the archive.")
    var drop = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Keep at least the last n events; 0 keeps live state only.", valueName: "n"),
        transform: UInt64.within(0...UInt64.max))
    var keepEvents: UInt64?

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let session = try await LedgerSession(global)
        var request = CompactRequest()
        request.keepEvents = keepEvents
        request.drops = drop
        request.isDryRun = dryRun
        request.command = session.context.newCommand()
        let report = try await session.withClient { [request] client throws(Problem) in
            try await client.compact(request)
        }
        try session.console.print(global.json ? report.json.description : Self.sentence(report))
    }

    /// What was done, for people.
    static func sentence(_ report: CompactReport) -> String {
        guard report.segmentsDropped > 0 else {
            return "nothing to drop: the log holds \(Figures.size(report.bytesAfter)) up to event \(report.last)"
        }
        let verb = report.isDryRun ? "would be " : ""
        let segments = Figures.counted(report.segmentsDropped, "segment")
        let events = Figures.counted(report.eventsDropped, "event")
        return
            "\(segments) with \(events) up to \(report.through) \(verb)\(report.archived ? "archived" : "dropped"):"
            + " \(Figures.size(report.bytesBefore)) -> \(Figures.size(report.bytesAfter))"
    }
}
