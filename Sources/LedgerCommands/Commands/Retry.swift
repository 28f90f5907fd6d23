import ArgumentParser
import LedgerAPI

/// `ledger retry`.
struct Retry: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Try failed, cancelled or lost downloads again.",
        usage: "ledger retry (<id> ... | --all | <filters>) [<options>]",
        discussion: """
            They start from what is still there.

            EXAMPLE
              ledger retry 12
              ledger retry --state failed
            """)

    @OptionGroup var selection: SelectionOptions
    @OptionGroup var global: GlobalOptions

    func run() async throws { try await LedgerSession(global).act(.retry, on: selection.selection) }
}
