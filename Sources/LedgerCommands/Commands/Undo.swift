import ArgumentParser
import LedgerAPI
import LedgerModel

/// `ledger undo`.
struct Undo: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Undo what the last command did, or one event.",
        usage: "ledger undo [<seq>] [<options>]",
        discussion: """
            Deletions (but for '--purge'), cancellations, pauses, resumes, moves and changes can be undone. Without a \
            number, all that the last such command did is undone. The number is that of an event, as 'ledger replay' \
            shows it. A file comes back to where it was, or beside what stands there now.

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
