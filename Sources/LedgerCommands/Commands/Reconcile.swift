import ArgumentParser
import LedgerAPI
import LedgerCoding
import LedgerViews

/// `ledger reconcile`.
struct Reconcile: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Compare the finished files with the disk, now.",
        usage: "ledger reconcile [<options>]",
        discussion: """
            Says which finished files are missing or were changed, and which are back, and records it; 'ledger run' \
            does the same when it starts. With '--adopt' a file that someone changed is taken as it is, unless it is \
            stated what its bytes must hash to. With '--requeue' what is missing or changed is fetched again; a file \
            that stands there is not overwritten. Files are compared by length and time, and read where those \
            differ; 'ledger verify --data' reads all of them. Exit code 25 says that files differ from the catalog \
            and nothing was done about it.

            EXAMPLE
              ledger reconcile --dry-run
              ledger reconcile --requeue && ledger run --until-idle
              ledger reconcile --adopt --json
            """)

    @Flag(help: "Say what would be done, and do nothing.")
    var dryRun = false

    @Flag(help: "Take files that were changed as the finished ones.")
    var adopt = false

    @Flag(help: "Fetch again what is missing or changed (and, with '--adopt', could not be taken).")
    var requeue = false

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let session = try await LedgerSession(global)
        var request = ReconcileRequest(command: session.context.newCommand())
        (request.isDryRun, request.adopts, request.requeues) = (dryRun, adopt, requeue)
        let report = try await session.showing("comparing") { [request] progress throws(Problem) in
            try await session.withClient(maintenanceProgress: progress) { client throws(Problem) in
                try await client.reconcile(request)
            }
        }
        let view = ReconciliationView(report)
        try session.console.printLast(global.json ? view.rows.map(\.description) : view.lines)
        if report.open > 0 { throw Exit(code: .filesDiffer) }
    }
}
