import ArgumentParser
import LedgerAPI

/// `ledger resume`.
struct Resume: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Let paused downloads go on.",
        usage: "ledger resume (<id> ... | --all | <filters>) [<options>]",
        discussion: """
            They go on from the last durable byte.

            EXAMPLE
              ledger resume 12
              ledger resume --all
            """)

    @OptionGroup var selection: SelectionOptions
    @OptionGroup var global: GlobalOptions

    func run() async throws { try await LedgerSession(global).act(.resume, on: selection.selection) }
}
