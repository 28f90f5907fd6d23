import ArgumentParser
import LedgerAPI
import LedgerCoding
import LedgerHolder
import LedgerModel
import LedgerViews

/// `ledger add`: enqueue and leave.
struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Enqueue downloads and print their numbers.",
        usage: """
            ledger add <url> ... [<options>]
            ledger add -i <file> [<options>]
            ledger add --metalink <file> [<options>]
            """,
        discussion: """
            Returns once they are durable. They are fetched by 'ledger run', or at once when it is running. What the \
            ledger has already is joined, in the state it is in and as it was asked for then, and its number printed; \
            the rows of '--json' say so in "joined". 'ledger change' asks for it otherwise; a mirror, a proxy or a \
            header it takes up when it is cancelled and added again.

            EXAMPLE
              ledger add https://example.org/a.iso --priority 5
              ledger add -i list.txt -d ~/Downloads
            """)

    @Argument(help: ArgumentHelp("What to download.", valueName: "url"))
    var urls: [String] = []

    @OptionGroup var options: DownloadOptions
    @OptionGroup(title: "How much at once") var pace: PaceOptions
    @OptionGroup var global: GlobalOptions

    func validate() throws { try requireSomething(urls, options) }

    func run() async throws {
        let session = try await LedgerSession(global)
        let requests = try await session.requests(urls: urls, options: options)
        let answers = try await session.withClient(creating: true) { client throws(Problem) in
            try await client.enqueue(requests)
        }
        var isRefused = false
        var lines: [String] = []
        var joined: [DownloadRow] = []
        for (request, answer) in zip(requests, answers) {
            switch answer {
            case .accepted(let row, let isJoined):
                lines.append(global.json ? row.json(joined: isJoined).description : row.id.description)
                if isJoined { joined.append(row) }
            case .refused(let problem):
                isRefused = true
                if global.json { lines.append(problem.json(of: request).description) }
                session.report(problem, of: request, among: requests.count)
            }
        }
        if pace.isAsked {
            session.console.warn(
                "how much is done at once is up to whoever fetches it, and not recorded: give '--jobs', '--per-host' "
                    + "and '--max-rate' to 'ledger run', or to 'ledger limit' while it runs")
        }
        JoinedNotes.lines(joined).forEach(session.console.note)
        JoinedNotes.warnings(requests, answers, configured: session.configured).forEach(session.console.warn)
        try session.console.printLast(lines)
        if isRefused { throw Exit(code: .failed) }
    }
}

/// A `get` or an `add` needs a URL, an input file or a Metalink.
func requireSomething(_ urls: [String], _ options: DownloadOptions) throws(ValidationError) {
    if urls.isEmpty, options.inputFile == nil, options.metalink.isEmpty {
        throw ValidationError("Give a URL, or a file of them with '-i'.")
    }
    let others = [options.inputFile == "-", options.route.bearer == "@-"].count { $0 }
    if options.metalink.count(where: { $0 == "-" }) + others > 1 {
        throw ValidationError("Standard input can be read once: give '-' to one option.")
    }
}
