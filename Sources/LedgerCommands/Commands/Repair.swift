import ArgumentParser
import LedgerAPI
import LedgerCoding
import LedgerEngine
import LedgerHolder
import LedgerLog
import LedgerViews

/// `ledger repair`: cut a damaged end off the log.
struct Repair: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Cut a damaged end off the log, and keep what is cut.",
        discussion: """
            For a log whose last segment is damaged, or shorter than its head says, when no copy of the home is at \
            hand: a copy put back loses nothing, a repair loses what stands behind the damage. Only a bit that turned \
            is turned back, and loses nothing: the root of its batch proves it. What is cut is kept in 'quarantine/' \
            in the home with a note of where it came from, the head is lowered to what is left, and an event \
            'repaired' is recorded. Damage before the last segment is refused. A torn tail, one damaged head or one \
            damaged manifest need no repair: opening the ledger mends them. Shows what it would do and asks first. \
            Takes the ledger's lock: stop 'ledger run' before.

            EXAMPLE
              ledger repair --dry-run
              ledger repair --yes && ledger verify
            """)

    @Flag(help: "Say what would be done, and do nothing.")
    var dryRun = false

    @Flag(name: .shortAndLong, help: "Do it without asking.")
    var yes = false

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let session = try await LedgerSession(global)
        let repair = LedgerRepair(home: session.home, world: session.context.world)
        let (plan, isUnfinished) = try await session.blocking { () throws(LedgerError) in
            (try repair.examine(), try repair.isUnfinished())
        }
        let view = RepairView(plan, home: session.home)
        guard plan != nil || isUnfinished else {
            return try session.console.printLast(
                [global.json ? view.json(done: nil, isDryRun: dryRun).description : RepairView.nothing])
        }
        if !global.json || !yes && !dryRun { view.lines.forEach(session.console.note) }
        guard !dryRun else {
            if global.json {
                try session.console.printLast([view.json(done: nil, isDryRun: true).description])
            }
            return
        }
        try session.confirm("Cut it off?", isConfirmed: yes)
        let done: LedgerRepair.Done
        do throws(LedgerError) { done = try await repair.run() } catch { throw Problem(error) }
        let after = RepairView(done.plan ?? plan, home: session.home)
        try session.console.printLast(
            [global.json ? after.json(done: done, isDryRun: false).description : after.sentence(done)])
    }
}
