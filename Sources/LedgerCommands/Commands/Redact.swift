import ArgumentParser
import LedgerAPI
import LedgerCoding
import LedgerHolder
import LedgerModel
import LedgerViews

/// `ledger redact`.
struct Redact: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Have the ledger forget what was recorded about downloads.",
        usage: "ledger redact (--id <id> ... | --match <text>) [<options>]",
        discussion: """
            Takes the content of all that was recorded about deleted downloads out of the log, the archive and the \
            snapshots. Only the hash of each record stays, so that every root and every checkpoint holds as before, \
            and an event 'redacted' with the reason. What was fetched in all is still counted, by day and, while \
            another download is from there, by host; a log that is folded anew, as 'replay --check', 'export' and a \
            state at an earlier event are, counts it no longer and has another digest. Can not be undone: says what \
            it would do and asks first. Cut short, run it again. Secrets need none of this: they never are in the log.

            A hook that was not told of them yet is not told any more.

            Not reached: what a feed or a catalog says of it as its entry, backups, exports, files in 'quarantine/', \
            and blocks that the file system freed and did not overwrite. Segments of an archive that is not at hand \
            are counted, and the exit code is 24: put them into 'archive' and run it again.

            EXAMPLE
              ledger redact --id 7 --dry-run
              ledger redact --match /private/ --reason 'asked for by the owner' --yes
            """)

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("A deleted download; may be repeated.", valueName: "id"),
        transform: DownloadID.parse)
    var id: [DownloadID] = []

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "All downloads of which a record holds this text, letter for letter; they must be deleted.",
            valueName: "text"))
    var match: String?

    @Option(parsing: .unconditional, help: ArgumentHelp("Why; it is recorded.", valueName: "text"))
    var reason = ""

    @Flag(help: "Say what would be done, and do nothing.")
    var dryRun = false

    @Flag(name: .shortAndLong, help: "Do it without asking.")
    var yes = false

    @OptionGroup var global: GlobalOptions

    func validate() throws {
        if id.isEmpty, match == nil { throw ValidationError("name downloads with '--id' or '--match'") }
        if !id.isEmpty, match != nil { throw ValidationError("give '--id' or '--match', not both") }
        if match?.isEmpty ?? false { throw ValidationError("'--match' needs a text") }
    }

    func run() async throws {
        let session = try await LedgerSession(global)
        var request = RedactRequest()
        request.ids = id
        request.match = match
        request.reason = reason
        request.command = session.context.newCommand()
        request.isDryRun = true
        var look = try await redact(request, session)
        if dryRun || look.isIdle {
            look.isDryRun = dryRun
            return try say(look, session)
        }
        if !yes { session.console.note(Self.sentence(look)) }
        try session.confirm("Take it out for good?", isConfirmed: yes)
        // What was said yes to, and nothing that came to match since.
        (request.ids, request.match, request.isDryRun) = (look.ids, nil, false)
        let report = try await redact(request, session)
        try say(report, session)
        let listings = try await session.state(at: nil).library.listings.values.filter { followed in
            followed.entries.values.contains { $0.download.map(report.ids.contains) ?? false }
        }
        for followed in listings.sorted(by: { $0.id < $1.id }) {
            session.console.note(
                "\(followed.listing.kind.name) \(followed.id) has an entry of it: what that says stays in its list, "
                    + "and in the log")
        }
    }

    private func redact(_ request: RedactRequest, _ session: LedgerSession) async throws(Problem) -> RedactReport {
        try await session.showing("redacting") { progress throws(Problem) in
            try await session.withClient(maintenanceProgress: progress) { client throws(Problem) in
                try await client.redact(request)
            }
        }
    }

    private func say(_ report: RedactReport, _ session: LedgerSession) throws {
        if global.json {
            try session.console.print(report.json.description)
        } else {
            try session.console.confirm([Self.sentence(report)])
        }
        guard report.unreached > 0 else { return }
        throw Problem(
            .missing, "\(Figures.counted(report.unreached, "segment")) of the archive may still hold it",
            cause: "no copy is at hand, or not of the one before it",
            next: "put the copies back into 'archive', and run the command again", exitCode: .missing)
    }

    /// What was done, for people.
    static func sentence(_ report: RedactReport) -> String {
        guard !report.isIdle else { return "nothing to redact: no record tells of it" }
        let ids = report.ids.map { String($0.rawValue) }
        let shown = ids.prefix(idsShownMax).joined(separator: ", ") + (ids.count > idsShownMax ? ", ..." : "")
        let what = Figures.counted(ids.count, "download") + (ids.isEmpty ? "" : " (\(shown))")
        let places = [
            (report.segments, "segment"), (report.archived, "archived segment"), (report.snapshots, "snapshot"),
        ].filter { $0.0 > 0 }.map { Figures.counted($0.0, $0.1) }
        let verb = report.isDryRun ? "would leave" : "left"
        return "\(what) \(report.isDryRun ? "would be " : "")redacted: the content of "
            + "\(Figures.counted(report.records, "record")) \(verb) "
            + (places.isEmpty ? "nothing" : places.joined(separator: ", "))
    }

    /// How many downloads are named one by one.
    private static let idsShownMax = 10
}

extension RedactReport {
    /// Whether there was nothing to do.
    fileprivate var isIdle: Bool { ids.isEmpty && records == 0 && snapshots == 0 }
}
