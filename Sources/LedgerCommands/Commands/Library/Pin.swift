import ArgumentParser
import LedgerAPI

/// `ledger pin`.
struct Pin: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Keep files whatever their group may hold.",
        usage: "ledger pin (<id> ... | --all | <filters>) [--off] [<options>]",
        discussion: """
            A pinned file is never evicted by 'ledger keep' or a feed's '--keep'.

            EXAMPLE
              ledger pin 12 14
              ledger pin --off --group radio
            """)

    @Flag(help: "Let them be evicted again.")
    var off = false

    @OptionGroup var selection: SelectionOptions
    @OptionGroup var global: GlobalOptions

    func run() async throws { try await LedgerSession(global).act(.pin(!off), on: selection.selection) }
}
