import ArgumentParser
import LedgerAPI
import LedgerCoding
import LedgerHolder
import LedgerModel
import LedgerViews

/// `ledger compact`.
struct Compact: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make the log smaller.",
        usage: "ledger compact [<options>]",
        discussion: """
            A snapshot takes the place of segments older than 90 days, or than '--keep', which go to the archive, \
            packed and checked. Those that stay lose the progress of downloads that have ended, and the archive has \
            them as they were. Queue, catalog and digest stay the same, 'ledger verify' still reproduces every root, \
            and with the archive at hand 'ledger list --at' still shows every moment. '--drop' keeps no archive, and \
            what stays as it is. Works while downloads run.

            EXAMPLE
              ledger compact --dry-run
              ledger compact --keep 30d --max-rate 20M
              ledger compact --drop --keep-events 0    # live state only, no archive
            """)

    @Flag(help: "Say what would be done, and do nothing.")
    var dryRun = false

    @Flag(help: "Remove old segments instead of moving them to the archive.")
    var drop = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Keep the events of this time, such as 30d (default: 90d).", valueName: "time"),
        transform: TimeSpan.parseWithUnit)
    var keep: TimeSpan?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Read at most so many bytes of the log in a second.", valueName: "rate"),
        transform: ByteSize.parse)
    var maxRate: ByteSize?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Keep at least the last n events, as whole segments go; 0 keeps live state only.", valueName: "n"),
        transform: UInt64.within(0...UInt64.max))
    var keepEvents: UInt64?

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let session = try await LedgerSession(global)
        var request = CompactRequest()
        request.keepEvents = keepEvents
        request.keepMilliseconds = keep?.milliseconds
        request.bytesPerSecondMax = maxRate?.limit
        request.drops = drop
        request.isDryRun = dryRun
        request.command = session.context.newCommand()
        let report = try await session.showing("compacting") { [request] progress throws(Problem) in
            try await session.withClient(maintenanceProgress: progress) { client throws(Problem) in
                try await client.compact(request)
            }
        }
        if global.json { return try session.console.print(report.json.description) }
        try session.console.confirm([Self.sentence(report)])
    }

    /// What was done, for people.
    static func sentence(_ report: CompactReport) -> String {
        guard report.segmentsDropped > 0 || report.segmentsThinned > 0 else {
            return "nothing to drop: the log holds \(Figures.size(report.bytesAfter)) up to event \(report.last)"
        }
        let verb = report.isDryRun ? "would be " : ""
        var parts: [String] = []
        if report.segmentsDropped > 0 {
            let segments = Figures.counted(report.segmentsDropped, "segment")
            let events = Figures.counted(report.eventsDropped, "event")
            parts.append(
                "\(segments) with \(events) up to \(report.through) \(verb)"
                    + (report.archived ? "archived" : "dropped"))
        }
        if report.segmentsThinned > 0 {
            parts.append("\(Figures.counted(report.segmentsThinned, "segment")) \(verb)thinned")
        }
        let about = report.isDryRun && report.segmentsThinned > 0 ? "about " : ""
        return parts.joined(separator: ", ")
            + ": \(Figures.size(report.bytesBefore)) -> \(about)\(Figures.size(report.bytesAfter))"
    }
}
