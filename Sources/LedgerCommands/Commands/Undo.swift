import ArgumentParser
import LedgerAPI
import LedgerModel

/// `ledger undo`.
struct Undo: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Undo what was done last, or one event.",
        usage: "ledger undo [<seq>] [<options>]",
        discussion: """
            Deletions (but for '--purge'), cancellations, pauses, resumes and moves can be undone. The number is that \
            of the event, as 'ledger replay' shows it.

            EXAMPLE
              ledger delete 12 && ledger undo
              ledger undo 341
            """)

    @Argument(
        help: ArgumentHelp("The event; without it, the last one that can be undone.", valueName: "seq"),
        transform: SequenceNumber.parse)
    var sequence: SequenceNumber?

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let session = try await LedgerSession(global)
        let command = session.context.newCommand()
        let answers = try await session.withClient { client throws(Problem) in
            try await client.undo(sequence, command: command)
        }
        try session.report(answers, done: "undone")
    }
}
