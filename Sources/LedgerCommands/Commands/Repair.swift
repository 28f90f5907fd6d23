import ArgumentParser
import LedgerAPI
import LedgerCoding
import LedgerEngine
import LedgerHolder
import LedgerLog
import LedgerViews

/// `ledger repair`: mend a damaged log, or cut its end off.
struct Repair: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Mend a damaged log, and keep what is cut off.",
        discussion: """
            For a log with damaged segments, or one that is shorter than its head says, when no copy of the home is \
            at hand. A copy put back loses nothing, and neither does what can be proven to have been otherwise: \
            single bits that turned, and seals of finished segments. Where more of the last segment is damaged, it is \
            cut off there, and what stands behind is lost. Where more of another one is, or it is gone, the log begins \
            behind it from then on, if a later snapshot knows what it came to: downloads, files and queue stay, what \
            happened there can not be told any more. What is cut, mended or left out is kept in 'quarantine/' in the \
            home with a note of where it came from, and an event 'repaired' is recorded. A torn tail, one damaged head \
            or one damaged manifest need no repair: opening the ledger mends them. Shows what it would do and asks \
            first. Takes the ledger's lock: stop 'ledger run' before.

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
        try session.confirm(view.question, isConfirmed: yes)
        let done: LedgerRepair.Done
        do throws(LedgerError) { done = try await repair.run(expecting: yes ? nil : plan) } catch {
            throw Problem(error)
        }
        let after = RepairView(done.plan ?? plan, home: session.home)
        try session.console.printLast(
            [global.json ? after.json(done: done, isDryRun: false).description : after.sentence(done)])
    }
}
