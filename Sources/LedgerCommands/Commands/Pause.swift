import ArgumentParser
import LedgerAPI

/// `ledger pause`.
struct Pause: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Stop downloads until they are resumed.",
        usage: "ledger pause (<id> ... | --all | <filters>) [<options>]",
        discussion: """
            What was received stays; 'ledger resume' goes on from there.

            EXAMPLE
              ledger pause 12 14
              ledger pause --all
            """)

    @OptionGroup var selection: SelectionOptions
    @OptionGroup var global: GlobalOptions

    func run() async throws { try await LedgerSession(global).act(.pause, on: selection.selection) }
}
