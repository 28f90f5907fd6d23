import ArgumentParser
import LedgerAPI
import LedgerCoding
import LedgerEngine
import LedgerHolder
import LedgerModel
import LedgerViews

/// `ledger migrate`.
struct Migrate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Say in which versions the log is written, and prepare for this one.",
        usage: "ledger migrate [<options>]",
        discussion: """
            A log is never rewritten for a newer program: what older releases wrote is lifted as it is read, and every \
            root and checkpoint stays what it was. 'migrate' saves a snapshot of the state, so that the next start \
            does not read what is old. A ledger that a newer release wrote is refused with exit code 12, by every \
            command that reads its events; 'verify' and 'backup' need the log's own format alone.

            EXAMPLE
              ledger migrate --dry-run
              ledger migrate
            """)

    @Flag(help: "Say what would be done, and do nothing.")
    var dryRun = false

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let session = try await LedgerSession(global)
        let (home, world, isDryRun) = (session.home, session.context.world, dryRun)
        let (census, saved) = try await session.blocking { () throws(LedgerError) in
            let census = try SchemaCensus(home: home, world: world)
            guard census.needsSnapshot, !isDryRun else { return (census, SequenceNumber?.none) }
            return (census, try SchemaCensus.saveSnapshot(of: home, world: world))
        }
        let view = MigrationView(census, saved: saved, isDryRun: dryRun)
        try session.console.printLast(global.json ? [view.json.description] : view.lines)
        if census.isTooNew { throw Exit(code: .tooNew) }
    }
}
