import ArgumentParser
import LedgerAPI

/// `ledger cancel`.
struct Cancel: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Give downloads up.",
        usage: "ledger cancel (<id> ... | --all | <filters>) [<options>]",
        discussion: """
            What was received so far is removed; 'ledger retry' fetches it anew after all.

            EXAMPLE
              ledger cancel 12
              ledger cancel --state waiting --group nightly
            """)

    @OptionGroup var selection: SelectionOptions
    @OptionGroup var global: GlobalOptions

    func run() async throws { try await LedgerSession(global).act(.cancel, on: selection.selection) }
}
