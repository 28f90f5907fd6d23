import ArgumentParser
import LedgerAPI
import LedgerCoding
import LedgerHolder
import LedgerModel
import LedgerViews

/// `ledger import`.
struct Import: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Enqueue what other lists hold, or make a ledger of what 'ledger export' wrote.",
        usage: "ledger import <file> ... [<options>]",
        discussion: """
            A file is a session that aria2 saved, a list in its input grammar, or JSON, an object a line: options of \
            'ledger add' under their long names in camel case, or rows as 'ledger list --json' prints them, which hold \
            no values of headers, no passwords, no tokens and no hashes of pieces ('ledger export' holds all but \
            secrets). What was paused there waits for 'ledger resume'. All of it is enqueued together, up to 32 MiB \
            of events (more than 100,000 URLs): after a crash all of it is there, or nothing. What can not be \
            fetched here (magnet:, ftp:) is refused line by line, with exit code 1; the rest is imported.

            A log that 'ledger export' wrote is told by its first line. It goes, alone, into an empty home: the same \
            events with the same numbers and times make the same state, and both are compared before any of it counts. \
            The new ledger has an identity and roots of its own. Killed meanwhile, nothing is there: type the same \
            again.

            EXAMPLE
              ledger import ~/.aria2/aria2.session
              ledger import list.txt rows.jsonl --dry-run
              ledger import ledger.jsonl --home ~/other
            """)

    @Argument(
        help: ArgumentHelp("What to read; '-' is standard input.", valueName: "file"), completion: .file())
    var files: [String]

    @Option(
        name: .joined("d"),
        help: ArgumentHelp(
            "Where files go that have no directory of their own (default: the current directory).", valueName: "dir"),
        completion: .directory)
    var dir: String?

    @Flag(help: "Say what would be enqueued, and do nothing.")
    var dryRun = false

    @OptionGroup var global: GlobalOptions

    func validate() throws { try Paths.requireNamed([dir], "-d") }

    func run() async throws {
        let session = try await LedgerSession(global)
        let inputs = try files.map { name throws(Problem) in (name: name, input: try session.importInput(name)) }
        if let log = inputs.first(where: { $0.input.isLog }) {
            guard inputs.count == 1, dir == nil else {
                throw ValidationError("'\(log.name)' is a whole log: import it alone, without '--dir'.")
            }
            let report = try await session.importLog(log.input, name: log.name, isDryRun: dryRun)
            return try session.console.printLast([global.json ? report.json.description : report.sentence])
        }
        var options = try DownloadOptions.parse([])
        options.dir = dir
        let builder = try session.builder(options)
        let imports = try inputs.compactMap { name, input throws(Problem) in
            if case .requests(let text) = input { try ImportedFile(text, name: name, builder) } else { nil }
        }
        imports.flatMap(\.warnings).forEach(session.console.warn)
        var report = ImportReport(isDryRun: dryRun)
        var requests: [(place: ImportReport.Place, request: EnqueueRequest)] = []
        for file in imports {
            for item in file.items {
                let place = ImportReport.Place(file: file.name, line: item.line)
                switch item.request {
                case .success(let request): requests.append((place, request))
                case .failure(let problem): report.refused.append((place, problem))
                }
            }
        }
        if dryRun {
            report.fresh = requests.count
        } else if !requests.isEmpty {
            var all = requests.map(\.request)
            try session.prepareDirectories(of: &all)
            let answers = try await session.withClient(creating: true) { client throws(Problem) in
                try await client.enqueue(all)
            }
            for (answer, item) in zip(answers, requests) { report.take(answer, at: item.place) }
        }
        for (_, problem) in report.refused { session.report(problem) }
        try session.console.printLast(global.json ? report.jsonLines : [report.sentence])
        if !report.refused.isEmpty { throw Exit(code: .failed) }
    }
}
