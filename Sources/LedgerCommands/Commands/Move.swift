import ArgumentParser
import LedgerAPI
import LedgerModel
import LedgerViews

/// `ledger move`.
struct Move: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Change the place of downloads in the queue.",
        usage: "ledger move (<id> ... | --all | <filters>) (--to <place> | --priority <n>)",
        discussion: """
            Higher priorities come first; within one, the order is that of enqueueing until something is moved.

            EXAMPLE
              ledger move 12 --to first
              ledger move --group nightly --priority -5
            """)

    @OptionGroup var selection: SelectionOptions

    @Option(
        parsing: .unconditional, help: ArgumentHelp("Another priority, last among its equals.", valueName: "n"),
        transform: Int32.within(Int32.min...Int32.max))
    var priority: Int32?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("first, last, or the n-th place within its priority.", valueName: "place"),
        transform: Placement.parse)
    var to: Placement?

    @OptionGroup var global: GlobalOptions

    func validate() throws {
        guard (priority == nil) != (to == nil) else {
            throw ValidationError("Say where to: either '--priority N', or '--to first', '--to last' or '--to N'.")
        }
    }

    func run() async throws {
        let placement = to ?? .priority(priority ?? 0)
        try await LedgerSession(global).act(.move(placement), on: selection.selection)
    }
}
